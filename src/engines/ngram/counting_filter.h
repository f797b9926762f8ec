// A counting filter. Each key is hashed to a two-bit counter, which counts how often such keys were added.
//
// A key that was added at least m times always passes. A key that was added less often may pass too, because it
// shares its counter with others. So the filter never loses an n-gram, and keeps most of those that do not repeat
// off the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/context.h"

namespace refrain::ngram {

// Threads may call add() concurrently. The other functions must not run until all add() calls are done.
class CountingFilter {
 public:
  static std::uint64_t counters(std::uint64_t bytes) { return bytes * 4; }

  // Counts up to m, or up to 3 if m is larger.
  CountingFilter(std::uint64_t bytes, unsigned m, MemoryBudget& budget);

  // Counts the keys in [low, low + span] and returns their number.
  std::uint64_t add(std::span<const std::uint64_t> keys, std::uint64_t low, std::uint64_t span);

  bool passes(std::uint64_t key) const;
  // Keeps the indexes in `chosen` whose keys pass, by moving them to the front. Returns their number.
  std::size_t pass(std::span<const std::uint64_t> keys, std::span<std::uint32_t> chosen) const;

  // Returns how many of the added keys do not pass.
  std::uint64_t below(unsigned threads, const Context& context) const;

 private:
  static constexpr unsigned kPerWord = 16;
  std::uint64_t place(std::uint64_t key) const;

  unsigned limit_;
  Array<std::uint32_t> words_;
  std::uint64_t counters_;
};

}  // namespace refrain::ngram
