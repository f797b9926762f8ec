// LOCATION-BASED TWO-PASS: hashes with their locations. The locations of hashes that occur m times are sorted, and
// n-grams are then read from the sequence at these locations.
#include <bit>

#include "engines/ngram/literature/literature.h"

namespace refrain::ngram {

namespace {

constexpr unsigned kLocationBits = 56;

// (h, i) in twelve bytes: 56 bits of hash and 40 of location.
struct Located {
  std::uint32_t hash_high;
  std::uint32_t both;  // the low 24 bits of the hash, then the high 8 bits of the location
  std::uint32_t location_low;

  static Located of(std::uint64_t hash, std::uint64_t location) {
    return {static_cast<std::uint32_t>(hash >> 24U), static_cast<std::uint32_t>(hash << 8U | location >> 32U),
            static_cast<std::uint32_t>(location)};
  }
  std::uint64_t hash() const { return std::uint64_t{hash_high} << 24U | both >> 8U; }
  std::uint64_t location() const { return std::uint64_t{both & 0xFFU} << 32U | location_low; }
  friend auto operator<=>(const Located&, const Located&) = default;
};
struct HashOfLocated {
  std::uint64_t operator()(const Located& located) const { return located.hash(); }
};
using LocatedFile = store::Shuffle<Located, HashOfLocated>;

// Steps 7 to 11: appends the locations of groups of m or more.
void append_repeated(const RepeatTask& task, const LocatedFile& from, HashFile::Writer& to) {
  Context alone = task.context;
  alone.threads = 1;
  std::vector<std::uint64_t> few;  // locations of a group in several runs, while they are fewer than m
  std::uint64_t count = 0;
  from.for_each_run(alone, [&](unsigned, std::size_t, const store::Run<Located>& run) {
    if (run.first) {
      few.clear();
      count = 0;
    }
    count += run.records.size();
    if (count < task.m) {
      for (const Located& located : run.records) few.push_back(located.location());
      return;
    }
    for (const std::uint64_t location : few) to.add(location);
    few.clear();
    for (const Located& located : run.records) to.add(located.location());
  });
}

}  // namespace

RepeatCost location_based(const RepeatTask& task) {
  RepeatCost cost;
  const std::uint64_t tokens = task.sequence.bytes() / sizeof(std::uint32_t);
  HashFile locations({.what = "locations of n-grams (F2)",
                      .key_bits = static_cast<unsigned>(std::bit_width(tokens)),
                      .expected_records = static_cast<std::size_t>(task.grams / 2),
                      .temp = &task.temp,
                      .memory_bytes = task.budget.available() / 4},
                     task.budget);
  {
    LocatedFile file({.what = "hashes of n-grams with their places (F1)",
                      .key_bits = kLocationBits,
                      .expected_records = static_cast<std::size_t>(task.grams),
                      .temp = &task.temp,
                      .memory_bytes = task.budget.available() / 2},
                     task.budget);
    {
      const unsigned threads = thread_count(task.context);
      std::vector<LocatedFile::Writer> writers;
      for (unsigned i = 0; i < threads; ++i) writers.push_back(file.writer());
      std::vector<WindowHashes> hashes(threads, WindowHashes(task.n));
      ++cost.passes;
      task.sequence.pass(task.context, task.budget, "hash", task.n,
                         [&](unsigned worker, std::uint64_t position, std::span<const std::uint32_t> words) {
                           for (const std::uint64_t hash : hashes[worker](words))
                             writers[worker].add(Located::of(hash >> (64 - kLocationBits), position++));
                         });
    }
    cost.file_bytes[0] = file.size() * sizeof(Located);
    HashFile::Writer writer = locations.writer();
    append_repeated(task, file, writer);
  }
  cost.file_bytes[1] = locations.size() * sizeof(std::uint64_t);
  GramFile file(task, locations.size());
  {
    std::vector<GramFile::Writer> writers = file.writers(1);
    Context alone = task.context;
    alone.threads = 1;
    // Reads S in stretches, only where there are locations.
    constexpr std::size_t kStretch = std::size_t{1} << 14U;
    std::vector<std::uint32_t> words(kStretch + task.n);
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    ++cost.passes;
    locations.for_each_run(alone, [&](unsigned, std::size_t, const store::Run<std::uint64_t>& run) {
      const std::uint64_t location = run.key;
      if (location + task.n > end) {
        begin = location;
        end = std::min(tokens, begin + words.size());
        task.sequence.read(begin, std::span(words).first(static_cast<std::size_t>(end - begin)));
      }
      writers[0].append(&words[static_cast<std::size_t>(location - begin)], location);
    });
  }
  cost.file_bytes[2] = file.bytes();
  file.coalesce();
  return cost;
}

}  // namespace refrain::ngram
