// The text of a query, as tokens, chosen windows and chosen pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "engines/blot/blotter.h"
#include "refrain/index.h"
#include "text/token_hasher.h"
#include "verbs/index/read/occurrence.h"

namespace refrain::verbs::index {

class QueryText {
 public:
  // Keeps a reference to the text. Pairs are only chosen if they are requested and the index has pairs.
  QueryText(const IndexLayout& layout, text::TokenHasher& hasher, std::string_view text, bool with_pairs,
            MemoryBudget& budget);

  // 32 bits of the hash of each token.
  std::span<const std::uint32_t> hashes() const { return {hashes_.data(), hashes_.size()}; }
  // The bytes of the tokens [first, last).
  ByteRange bytes(std::uint32_t first, std::uint32_t last) const { return {bytes_[first].begin, bytes_[last - 1].end}; }
  // The text of these tokens, for PlaceComparer.
  TextPiece piece(std::uint32_t first, std::uint32_t last) const;
  std::uint64_t tokens() const { return hashes_.size(); }
  // The chosen windows and pairs, sorted by blot as the index stores it, then by token.
  std::span<const blot::ChosenWindow> windows() const { return {windows_.data(), windows_.size()}; }
  std::span<const blot::ChosenWindow> pairs() const { return {pairs_.data(), pairs_.size()}; }

 private:
  void choose(const IndexLayout& layout, std::span<const std::uint64_t> hashes, bool with_pairs);

  std::string_view text_;
  Array<std::uint32_t> hashes_;
  Array<ByteRange> bytes_;
  Array<blot::ChosenWindow> windows_;
  Array<blot::ChosenWindow> pairs_;
};

// How rare the words of a query are in their context, measured by how often the index holds the windows around them:
// a phrase that many documents hold says little, however long it is.
//
// A window with d places in an index of D documents has the rarity 1 - log2(d) / L, in steps of 1 / kWhole, where L
// is log2(D + 1), rounded up so that a few more documents do not change the order of an answer. A token has the
// rarity of the rarest window that contains it or is next to it, because the ends of a phrase may be in no sampled
// window. A token near no window that was found has the maximum.
class Rarity {
 public:
  static constexpr std::uint32_t kWhole = 256;

  // `places` says, for each token of the query, at how many places of the index the window that begins there occurs;
  // 0 if it was not found. A window takes `span` tokens, and the `beside` tokens before and after it are next to it.
  Rarity(std::span<const std::uint32_t> places, std::size_t span, std::size_t beside, std::uint64_t documents,
         MemoryBudget& budget);

  // The rarity of each token.
  std::span<const std::uint16_t> tokens() const { return {tokens_.data(), tokens_.size()}; }
  // The sum over the tokens [begin, end), as far as they exist.
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
  Array<std::uint64_t> up_to_;  // sums over the tokens before every kStep-th
};

}  // namespace refrain::verbs::index
