// All bytes that lie in a window of `length` bytes which occurs `min_count` times or more: exactly what a suffix array
// gives, without one.
//
//   sample    each document is sampled (plan.h): places where equal windows would meet
//   meet      samples with equal cores come together, and become links from windows to their earliest equals
//             (resolver.h)
//   verify    the links, in order of position, are compared byte by byte, and become ranges (coverage.h)
//
// Each step is one shuffle, so nothing but the text's own reader needs memory that grows with the text.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp_space.h"
#include "refrain/context.h"
#include "refrain/text.h"
#include "refrain/text_source.h"
#include "store/shuffle.h"

namespace refrain::substring {

struct RepeatOptions {
  std::size_t length = 100;  // kMinSubstringLength to kMaxSubstringLength
  std::uint64_t min_count = 2;
  bool places = false;  // also tell where each repeated stretch occurs first
};

// A stretch of text that is equal to an earlier one, which is the earliest: text[begin, begin + size) and
// text[target, target + size). All of that lies in one range of Repeats::first.
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

  // In the bytes of the whole text, ascending; no range crosses the end of a document, and none touches the next.
  Array<ByteRange> repeated;
  Array<ByteRange> first;  // of those, what lies in the earliest of equal windows

  std::unique_ptr<RepeatPlaces> places;  // where they were asked for: in the order of their targets

  std::uint64_t samples = 0;
  std::uint64_t windows = 0;         // that are repeated
  std::uint64_t verified_bytes = 0;  // compared on top of those compared when samples met
};

// `ends` are where the documents end, ascending, the last being text.size(). Windows do not cross them.
Repeats find_repeats(const RepeatOptions& options, const TextSource& text, std::span<const std::uint64_t> ends,
                     const Context& context, MemoryBudget& budget, TempSpace& temp);

}  // namespace refrain::substring
