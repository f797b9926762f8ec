// HASH-BASED TWO-PASS: the first pass counts hashes; the second keeps n-grams whose hash occurred m times,
// according to a bit vector.
#include <algorithm>
#include <bit>

#include "engines/ngram/literature/literature.h"

namespace refrain::ngram {

namespace {

constexpr unsigned kWideBits = 40;  // b1
constexpr unsigned kSpareBits = 5;  // b2 beyond log2 N: about one n-gram in 32 is a false match
constexpr unsigned kLeastBits = 6;  // least b2: the bits that address one word of the vector

}  // namespace

RepeatCost hash_based(const RepeatTask& task) {
  RepeatCost cost;
  // b2: the vector H may take half of the memory.
  const auto most = static_cast<unsigned>(std::bit_width(task.budget.available() / 2 * 8) - 1);
  const unsigned wanted = static_cast<unsigned>(std::bit_width(task.grams)) + kSpareBits;
  const unsigned bits = std::clamp(std::min(wanted, most), kLeastBits, kWideBits);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t repeated = 0;
  Array<std::uint64_t> vector(task.budget, "the hash filter");  // H
  {
    std::optional<HashFile> file;  // F2
    {
      TempSpace& temp = task.temp;
      const std::uint64_t share = task.budget.available() / 8;
      file.emplace(store::ShuffleOptions{.what = "repeated hashes (F2)",
                                         .key_bits = bits,
                                         .expected_records = static_cast<std::size_t>(task.grams / 8),
                                         .temp = &temp,
                                         .memory_bytes = share},
                   task.budget);
      HashFile::Writer writer = file->writer();
      repeated_hashes(task, kWideBits, cost, [&](std::uint64_t hash) { writer.add(hash & mask); });
    }
    cost.file_bytes[1] = file->size() * sizeof(std::uint64_t);
    vector.resize(static_cast<std::size_t>((mask >> 6U) + 1));
    Context alone = task.context;
    alone.threads = 1;
    file->for_each_run(alone, [&](unsigned, std::size_t, const store::Run<std::uint64_t>& run) {
      if (!run.first) return;  // a duplicate
      vector[static_cast<std::size_t>(run.key >> 6U)] |= std::uint64_t{1} << (run.key & 63U);
      ++repeated;
    });
  }
  keep_and_coalesce(task, cost, 4 * repeated, [&](std::uint64_t wide, const std::uint32_t*) {
    const std::uint64_t hash = wide >> (64 - kWideBits) & mask;
    return (vector[static_cast<std::size_t>(hash >> 6U)] >> (hash & 63U) & 1U) != 0;
  });
  return cost;
}

}  // namespace refrain::ngram
