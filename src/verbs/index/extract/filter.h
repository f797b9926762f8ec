// Which blots occur in two documents or more, as a filter: it never says no to one that does, and seldom yes to
// another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/array.h"
#include "base/budget.h"
#include "base/mix.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// Filled and asked by many threads, not both at once.
class BlotFilter {
 public:
  // For about so many blots, in no more than `most_bytes`.
  BlotFilter(MemoryBudget& budget, std::uint64_t blots, std::uint64_t most_bytes);

  void add(std::uint64_t blot) {
    const Probe probe(blot, words_.size());
    std::atomic_ref(words_[probe.word]).fetch_or(probe.bits, std::memory_order_relaxed);
  }
  bool contains(std::uint64_t blot) const {
    const Probe probe(blot, words_.size());
    return (words_[probe.word] & probe.bits) == probe.bits;
  }
  std::uint64_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

 private:
  // Four bits of one word: one look at memory a question.
  struct Probe {
    Probe(std::uint64_t blot, std::size_t words) {
      const std::uint64_t scattered = mix(blot + 1, 0x9E3779B97F4A7C15ULL, 0xD1B54A32D192ED03ULL);
      word = static_cast<std::size_t>((scattered >> 32U) * words >> 32U);  // there are fewer than 2^32 words
      for (unsigned i = 0; i < 4; ++i) bits |= std::uint64_t{1} << (scattered >> 6 * i & 63U);
    }
    std::size_t word;
    std::uint64_t bits = 0;
  };
  Array<std::uint64_t> words_;
};

// Puts the blots of two documents or more, and of at most `max_documents` (0: any number), into `filter`. Returns how
// many they are.
std::uint64_t find_repeated_blots(Snapshot& snapshot, std::uint64_t max_documents, MemoryBudget& budget,
                                  const Context& context, BlotFilter& filter);

}  // namespace refrain::verbs::index
