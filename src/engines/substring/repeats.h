// Finds all bytes that lie in a window of `length` bytes that occurs `min_count` times or more. The result is
// exactly that of a suffix array, without building one.
//
//   sample    each document is sampled (plan.h): the places where equal windows can meet
//   meet      samples with equal cores come together and become links from windows to their earliest equals
//             (resolver.h)
//   verify    the links, in order of position, are compared byte by byte and become ranges (coverage.h)
//
// The steps are connected by shuffles, so only the text's own reader needs memory that grows with the text.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp.h"
#include "refrain/context.h"
#include "refrain/text.h"
#include "store/shuffle.h"

namespace refrain::substring {

struct RepeatOptions {
  std::size_t length = 100;  // kMinSubstringLength to kMaxSubstringLength
  std::uint64_t min_count = 2;
  bool places = false;  // also report where each repeated stretch first occurs
};

// A stretch of text that equals an earlier one, the earliest of all: text[begin, begin + size) equals text[target,
// target + size). The latter lies in one range of Repeats::first.
struct RepeatPlace {
  std::uint64_t target;
  std::uint64_t begin;
  std::uint64_t size;
  friend auto operator<=>(const RepeatPlace&, const RepeatPlace&) = default;
};
struct TargetOfPlace {
  std::uint64_t operator()(const RepeatPlace& place) const { return place.target; }
};
using RepeatPlaces = store::Shuffle<RepeatPlace, TargetOfPlace>;

struct Repeats {
  explicit Repeats(MemoryBudget& budget) : repeated(budget, "the ranges"), first(budget, "the ranges") {}

  // Positions in the whole text, ascending. No range crosses the end of a document, and ranges touch only there.
  Array<ByteRange> repeated;
  Array<ByteRange> first;  // the parts of `repeated` that lie in the earliest of equal windows

  std::unique_ptr<RepeatPlaces> places;  // set if requested: sorted by target

  std::uint64_t samples = 0;
  std::uint64_t windows = 0;         // number of repeated windows
  std::uint64_t verified_bytes = 0;  // compared when links were verified, not counting comparisons when samples met
};

// `ends` are the ends of the documents, ascending; the last is text.size(). Windows do not cross them.
Repeats find_repeats(const RepeatOptions& options, const TextSource& text, std::span<const std::uint64_t> ends,
                     const Context& context, MemoryBudget& budget, TempSpace& temp);

}  // namespace refrain::substring
