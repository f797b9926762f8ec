// The resolver: processes samples with equal cores.
//
// The windows that chose a core are at various offsets around it; the *context* of a place is everything that they
// contain. Places with equal contexts and equal offsets of windows form a class, and every window of a class with
// enough places is repeated. Windows may also be equal between classes whose contexts differ further out. To find
// these, classes are compared with each other byte by byte if they are few. If they are many, or if counting needs
// more than pairs (min_count above 2), their windows go to a shuffle of their own, by the hash of all their bytes.
//
// The result consists of links, each from a repeated window to the earliest window that equals it. They are verified
// later, in order of their positions (coverage.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engines/substring/plan.h"
#include "engines/substring/sampler.h"
#include "refrain/text.h"
#include "store/shuffle.h"

namespace refrain::substring {

using Samples = store::Shuffle<SampleRecord, CoreOfSample>;
using Windows = store::Shuffle<WindowRecord, HashOfWindow>;
using Links = store::Shuffle<Link, FirstOfLink>;

// Use one per worker.
class GroupResolver {
 public:
  GroupResolver(const SubstringPlan& plan, const TextSource& text, Windows& windows, Links& links)
      : plan_(plan), text_(text), windows_(windows.writer()), links_(links.writer()), hasher_(plan.length, plan.seed) {}

  // Adds the next run of a group. A group may come in many runs, which must follow each other.
  void add(const store::Run<SampleRecord>& run);

  // More classes than this are not compared with each other: the number of pairs grows quadratically, and a context
  // of each class is in memory.
  static constexpr std::size_t kMaxPairedClasses = 128;
  static constexpr std::size_t kMaxContextBytes = std::size_t{4} << 20;
  // A group with more places than this is processed one place at a time.
  static constexpr std::size_t kMaxGroup = std::size_t{64} << 10;
  // If min_count exceeds this, the places of a class are not collected until there are min_count of them.
  static constexpr std::uint64_t kMaxOpen = std::uint64_t{4} << 10;

 private:
  // Windows of a place that equal those of an earlier one, as a set of offsets (see bit_of in resolver.cc).
  struct Piece {
    std::uint64_t offsets;
    std::uint64_t target;
  };
  struct Class {
    std::span<const SampleRecord> places;  // the first is the earliest
    std::uint64_t position;
    const char* core;  // the bytes of its core, with `left` readable bytes before it and `right` from its begin on
    std::size_t left;
    std::size_t right;
    std::uint64_t offsets;       // of all its windows
    std::uint64_t repeated = 0;  // of the windows that another class contains too
    std::uint64_t linked = 0;    // of the windows that an earlier class contains
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

  // Processes one place at a time; places with equal contexts must be consecutive.
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
  std::vector<SampleRecord> open_;  // places of the class being streamed, while there are fewer than min_count
  SampleRecord head_{};             // the earliest place of that class
  bool settled_ = false;            // that class has min_count places
};

}  // namespace refrain::substring
