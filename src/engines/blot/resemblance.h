// A first look at two stretches of tokens: how much of one does the other hold too, whatever the order?
//
// A token weighs the more the rarer it is in all of `a`, in sixteenths of a bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::blot {

// Keeps its buffers. Not thread-safe.
class Resemblance {
 public:
  // `a` is referred to. Less than 2^31 tokens.
  Resemblance(std::span<const std::uint32_t> a, MemoryBudget& budget);

  // Of what the tokens [begin, end) of `a` weigh, the share of those that `b` has too, each as often as there.
  double share(std::size_t begin, std::size_t end, std::span<const std::uint32_t> b);

 private:
  std::size_t slot_of(std::uint32_t token) const;

  std::span<const std::uint32_t> a_;
  Array<std::uint16_t> weights_;                               // by token of `a`
  std::vector<std::pair<std::uint32_t, std::uint32_t>> held_;  // by a hash: a token of `b`, and how often it is left
  unsigned shift_ = 0;
};

}  // namespace refrain::blot
