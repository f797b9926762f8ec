// MEMORY-BASED ONE-PASS: a dictionary of all n-grams.
#include "engines/ngram/literature/literature.h"

#include <algorithm>
#include <unordered_map>

namespace refrain::ngram {

RepeatCost memory_based(const RepeatTask& task) {
  RepeatCost cost;
  std::unordered_map<std::string, std::vector<std::uint64_t>> dictionary;  // D: the words of an n-gram, its locations
  Context alone = task.context;
  alone.threads = 1;
  ++cost.passes;
  task.sequence.pass(
      alone, task.budget, "index", task.n, [&](unsigned, std::uint64_t position, std::span<const std::uint32_t> words) {
        const std::size_t bytes = task.n * sizeof(std::uint32_t);
        for (std::size_t i = 0; i + task.n <= words.size(); ++i)
          dictionary[std::string(reinterpret_cast<const char*>(&words[i]), bytes)].push_back(position + i);
      });
  struct Gram {
    std::uint64_t key;
    std::string text;
    const std::vector<std::uint64_t>* positions;
  };
  std::vector<Gram> grams;
  for (const auto& [bytes, positions] : dictionary) {
    if (positions.size() < task.m) continue;
    const std::span<const std::uint32_t> words(reinterpret_cast<const std::uint32_t*>(bytes.data()), task.n);
    grams.push_back({key_of_words(task.vocabulary, words), text_of_words(task.vocabulary, words), &positions});
  }
  std::sort(grams.begin(), grams.end(),
            [](const Gram& a, const Gram& b) { return a.key != b.key ? a.key < b.key : a.text < b.text; });
  for (const Gram& gram : grams)
    task.output.write(gram.key, gram.text,
                      [&](auto fn) { std::for_each(gram.positions->begin(), gram.positions->end(), fn); });
  return cost;
}

// DISK-BASED ONE-PASS: every n-gram with its location, sorted.

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
