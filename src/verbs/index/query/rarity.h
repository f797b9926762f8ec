// How rare the words of a query are where they stand, by the windows that the index holds of it: a phrase that many documents
// hold says little, however long it is.
//
// A window that stands at d places of an index of D documents has the rarity 1 - log2(d) / L, in steps of 1 / kWhole, where L
// is log2(D + 1), rounded up, so that a few documents more do not change the order of an answer. A token has that of the
// rarest window that it is in, or next to: where windows are sampled, the ends of a phrase may be in none. What is near no
// window that was found is as rare as can be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::verbs::index {

class Rarity {
 public:
  static constexpr std::uint32_t kWhole = 256;

  // `places`, by the token of the query where a window begins: where in the index it stands, 0 where it was not found. A
  // window takes `span` tokens, and `beside` tokens before and behind it are next to it.
  Rarity(std::span<const std::uint32_t> places, std::size_t span, std::size_t beside, std::uint64_t documents,
         MemoryBudget& budget);

  // By token.
  std::span<const std::uint16_t> tokens() const { return {tokens_.data(), tokens_.size()}; }
  // Of the tokens [begin, end), as far as there are any, together.
  std::uint64_t sum(std::size_t begin, std::size_t end) const {
    return before(std::min(end, tokens_.size())) - before(std::min(begin, tokens_.size()));
  }

 private:
  static constexpr std::size_t kStep = 16;

  std::uint64_t before(std::size_t token) const {
    const std::size_t step = token / kStep;
    return std::accumulate(tokens_.data() + step * kStep, tokens_.data() + token, up_to_[step]);
  }

  Array<std::uint16_t> tokens_;
  Array<std::uint64_t> up_to_;  // of the tokens before every kStep-th
};

}  // namespace refrain::verbs::index
