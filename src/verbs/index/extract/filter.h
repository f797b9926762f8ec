// A filter for the blots that occur in two documents or more. It accepts all of them and few others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/array.h"
#include "base/budget.h"
#include "base/mix.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// Many threads may add to it, or query it, but not both at the same time.
class BlotFilter {
 public:
  // Sized for about `blots` blots, but for at most `most_bytes`.
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
  // A blot sets four bits of one word, so that a query reads memory once.
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

// Adds the blots that occur in two documents or more, and in at most `max_documents` (0: any number), to `filter`.
// Returns their number.
std::uint64_t find_repeated_blots(Snapshot& snapshot, std::uint64_t max_documents, MemoryBudget& budget,
                                  const Context& context, BlotFilter& filter);

}  // namespace refrain::verbs::index
