// The texts of a query, as tokens and chosen windows.
//
// The tokens of all texts are numbered through, with a gap between two texts that is too wide to be chained over: so a
// number tells the text too.
#pragma once

#include <cstdint>
#include <span>
#include <string>
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
  QueryText(const IndexLayout& layout, std::uint64_t gap, MemoryBudget& budget);

  // The text is referred to.
  void add(std::string_view id, std::string_view text);

  struct Part {
    std::string_view id;
    std::string_view text;
    std::uint32_t first = 0;  // its tokens are [first, last)
    std::uint32_t last = 0;
  };
  // The text that token `token` is one of.
  const Part& part_at(std::uint32_t token) const;

  // By token; in the gaps there are some too, which mean nothing.
  std::span<const std::uint32_t> hashes() const { return {hashes_.data(), hashes_.size()}; }
  // The bytes of the tokens [first, last), in their text.
  ByteRange bytes(std::uint32_t first, std::uint32_t last) const { return {bytes_[first].begin, bytes_[last - 1].end}; }
  // Those tokens, for PlaceComparer; their numbers are the ones here.
  TextPiece piece(std::uint32_t first, std::uint32_t last) const;
  // Without those in the gaps.
  std::uint64_t tokens() const { return tokens_; }
  // The chosen windows, by blot as the index stores it, then by token.
  std::span<const blot::ChosenWindow> windows();

 private:
  void choose_windows(std::span<const std::uint64_t> hashes, std::uint64_t first);

  std::uint64_t gap_;
  std::uint64_t mask_;
  text::TokenHasher hasher_;
  MemoryBudget& budget_;
  blot::Blotter blotter_;
  std::vector<Part> parts_;
  Array<std::uint32_t> hashes_;
  Array<ByteRange> bytes_;
  Array<blot::ChosenWindow> windows_;
  bool sorted_ = true;
  std::vector<blot::ChosenWindow> chosen_;
  std::uint64_t tokens_ = 0;
};

}  // namespace refrain::verbs::index
