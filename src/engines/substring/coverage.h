// Coverage: verifies links, in the order of their positions, and turns them into ranges of bytes.
//
// Adjacent links at an equal distance form one diagonal: a long stretch of text that equals an earlier one. The two
// are compared byte by byte, which reads both sequentially.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "engines/substring/plan.h"
#include "refrain/text.h"

namespace refrain::substring {

// Thrown if two different texts have equal hashes. The caller starts again with another seed.
struct HashCollision {};

// Consecutive windows, each equal to the one at the same distance from `target`.
struct Diagonal {
  std::uint64_t first = 0;
  std::uint64_t windows = 0;
  std::uint64_t target = 0;

  // Whether windows at `next`, equal to those at `next_target`, continue the diagonal.
  bool is_continued_by(std::uint64_t next, std::uint64_t next_target) const {
    return next == first + windows && next - next_target == first - target;
  }
};

// Whether `next`, which begins no earlier than `last`, forms one range with it: they overlap, or touch inside a
// document. `ends` are the ends of the documents.
bool joins(const ByteRange& last, const ByteRange& next, std::span<const std::uint64_t> ends);

// Ranges of bytes, ascending. Ranges that overlap or touch are merged, unless they touch at the end of a document.
class RangeList {
 public:
  explicit RangeList(std::span<const std::uint64_t> ends) : ends_(ends) {}
  void add(ByteRange range);
  const std::vector<ByteRange>& ranges() const { return ranges_; }

 private:
  std::span<const std::uint64_t> ends_;
  std::vector<ByteRange> ranges_;
};

// Collects what is found in one stretch of the text. Links must be added in order.
class Coverage {
 public:
  // Calls `found`, if it is set, for every verified diagonal that leads to an earlier place.
  Coverage(const SubstringPlan& plan, const TextSource& text, std::span<const std::uint64_t> ends,
           std::function<void(const Diagonal&)> found)
      : repeated(ends), first(ends), plan_(plan), text_(text), found_(std::move(found)) {}

  // Throws HashCollision if the bytes are not equal.
  void add(const Link& link);
  // Must be called after the last link. Throws as add() does.
  void finish();

  RangeList repeated;  // bytes in a repeated window
  RangeList first;     // bytes in the earliest of equal repeated windows
  std::uint64_t windows = 0;
  std::uint64_t verified_bytes = 0;

 private:
  void verify(const Diagonal& diagonal);

  const SubstringPlan& plan_;
  const TextSource& text_;
  const std::function<void(const Diagonal&)> found_;
  Diagonal open_;
  std::vector<char> here_;
  std::vector<char> there_;
};

}  // namespace refrain::substring
