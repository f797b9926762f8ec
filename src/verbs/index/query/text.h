// The text of a query, as tokens, chosen windows and chosen pairs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "engines/blot/blotter.h"
#include "refrain/index.h"
#include "text/token_hasher.h"
#include "verbs/index/read/occurrence.h"

namespace refrain::verbs::index {

class QueryText {
 public:
  // Keeps a reference to the text. Pairs are only chosen if they are requested and the index has pairs.
  QueryText(const IndexLayout& layout, std::string_view text, bool with_pairs, MemoryBudget& budget);

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

}  // namespace refrain::verbs::index
