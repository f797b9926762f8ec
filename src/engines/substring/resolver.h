// The resolver: what happens when samples with equal cores meet.
//
// Windows that chose the core lie at offsets around it; the *context* of a place is all that they hold. Places whose
// contexts are equal, windows and all, form a class, and every window of it is repeated. Windows may also be equal
// between classes whose contexts differ further out. For that, classes are compared with each other, byte by byte,
// where they are few; where they are many, or where pairs do not suffice to count (min_count above 2), their windows go
// to a shuffle of their own by the hash of all their bytes.
//
// What comes out are links, each from a repeated window to the earliest window that is equal to it. They are verified
// later, in order of their positions (coverage.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engines/substring/plan.h"
#include "engines/substring/records.h"
#include "engines/substring/stretch_hash.h"
#include "refrain/text_source.h"
#include "store/shuffle.h"

namespace refrain::substring {

using Samples = store::Shuffle<SampleRecord, CoreOfSample>;
using Windows = store::Shuffle<WindowRecord, HashOfWindow>;
using Links = store::Shuffle<Link, FirstOfLink>;

// One a worker.
class GroupResolver {
 public:
  GroupResolver(const SubstringPlan& plan, const TextSource& text, Windows& windows, Links& links)
      : plan_(plan), text_(text), windows_(windows.writer()), links_(links.writer()), hasher_(plan.length, plan.seed) {}

  // Runs of a group one after the other; a group may come in many.
  void add(const store::Run<SampleRecord>& run);

  // More classes than that are not compared with each other: pairs grow with the square, and a context of each is held.
  static constexpr std::size_t kMaxPairedClasses = 128;
  static constexpr std::size_t kMaxContextBytes = std::size_t{4} << 20;
  // A group with more places is taken a place at a time.
  static constexpr std::size_t kMaxGroup = std::size_t{64} << 10;
  // Where min_count is more, a class is not waited for until it has so many places.
  static constexpr std::uint64_t kMaxOpen = std::uint64_t{4} << 10;

 private:
  // Windows of a place that are equal to those of an earlier one, as a set of offsets (see bit_of in resolver.cc).
  struct Piece {
    std::uint64_t offsets;
    std::uint64_t target;
  };
  struct Class {
    std::span<const SampleRecord> places;  // the first is the earliest
    std::uint64_t position;
    const char* core;  // the bytes at its core, `left` before and `right` after which can be read
    std::size_t left;
    std::size_t right;
    std::uint64_t offsets;       // of all its windows
    std::uint64_t repeated = 0;  // of those that another class has too
    std::uint64_t linked = 0;    // of those that an earlier class has
    std::vector<Piece> pieces = {};
  };

  std::size_t max_paired_classes() const {
    return std::clamp<std::size_t>(kMaxContextBytes / plan_.length, 2, kMaxPairedClasses);
  }
  void add_group(std::span<const SampleRecord> group);
  void compare_classes(std::span<const std::span<const SampleRecord>> classes);
  void compare(Class& later, Class& earlier) const;
  void emit(const Class& one);
  void link(std::uint64_t position, std::uint64_t offsets, std::uint64_t target);
  void link_all(const SampleRecord& place, const SampleRecord& target);

  // A place at a time; equal contexts follow each other.
  void stream(const SampleRecord& place);
  void end_class();
  void add_windows(const SampleRecord& place, bool heavy);

  const SubstringPlan& plan_;
  const TextSource& text_;
  Windows::Writer windows_;
  Links::Writer links_;
  StretchHasher hasher_;
  std::vector<std::span<const SampleRecord>> classes_;
  std::vector<Class> compared_;
  std::vector<std::vector<char>> contexts_;
  std::vector<SampleRecord> open_;  // of the class that is being streamed, while they are fewer than min_count
  SampleRecord head_{};             // its earliest
  bool settled_ = false;            // it has min_count places
};

}  // namespace refrain::substring
