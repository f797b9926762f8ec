// DISK-BASED ONE-PASS: every n-gram with its location, sorted.
#include "engines/ngram/literature/literature.h"

namespace refrain::ngram {

RepeatCost disk_based(const RepeatTask& task) {
  RepeatCost cost;
  GramFile file(task, task.grams);
  {
    std::vector<GramFile::Writer> writers = file.writers(thread_count(task.context));
    ++cost.passes;
    task.sequence.pass(task.context, task.budget, "write", task.n,
                       [&](unsigned worker, std::uint64_t position, std::span<const std::uint32_t> words) {
                         for (std::size_t i = 0; i + task.n <= words.size(); ++i)
                           writers[worker].append(&words[i], position + i);
                       });
  }
  cost.file_bytes[2] = file.bytes();
  file.coalesce();
  return cost;
}

}  // namespace refrain::ngram
