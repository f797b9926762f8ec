// A counting filter: two bits for every value that a hash of a key can take, counting how often it came.
//
// What came m times or more has a counter that says so; what came less often may share its counter with others and pass
// too. So it never loses an n-gram, and keeps most of those that do not repeat away from the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/context.h"

namespace refrain::ngram {

// add() is thread-safe among itself; the rest reads what add() has written before.
class CountingFilter {
 public:
  static std::uint64_t counters(std::uint64_t bytes) { return bytes * 4; }

  // Counts up to m, or to 3 where m is larger.
  CountingFilter(std::uint64_t bytes, unsigned m, MemoryBudget& budget);

  // Counts the keys in [low, low + span] and returns how many they are.
  std::uint64_t add(std::span<const std::uint64_t> keys, std::uint64_t low, std::uint64_t span);

  bool passes(std::uint64_t key) const;
  // Of the keys whose numbers are in `chosen`, those that pass: their numbers move to the front. Returns how many.
  std::size_t pass(std::span<const std::uint64_t> keys, std::span<std::uint32_t> chosen) const;

  // How many of the keys that were added do not pass.
  std::uint64_t below(unsigned threads, const Context& context) const;

 private:
  static constexpr unsigned kPerWord = 16;
  std::uint64_t place(std::uint64_t key) const;

  unsigned limit_;
  Array<std::uint32_t> words_;
  std::uint64_t counters_;
};

}  // namespace refrain::ngram
