// Candidates: groups of places whose n-grams have equal keys (as far as keys were kept), waiting to be compared
// with the text.
//
// A place takes eight bytes, a position and the number of its group, and is stored in one of a few dozen segments.
// Segments are sorted individually, in place, by group or by position. So the same memory serves the pass over the
// text, which needs position order, and the writing of the index, which needs group order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/context.h"
#include "store/shuffle_layout.h"

namespace refrain::ngram {

class Candidates {
 public:
  Candidates(unsigned position_bits, unsigned workers, std::size_t parts, std::size_t segment_places,
             MemoryBudget& budget);

  // ---- Filling. One worker at a time fills a part: its groups in order, and the positions of a group ascending.

  void begin_group(unsigned worker, std::size_t part);
  // Adds places to the last group that was begun. Only the low `position_bits` of each record are used.
  void add(unsigned worker, std::span<const std::uint64_t> records);

  std::uint64_t places() const;
  std::uint64_t groups() const;
  std::uint64_t segment_bytes() const { return segment_places_ * sizeof(std::uint64_t); }
  // The largest number of groups that can be distinguished.
  std::uint64_t most_groups() const { return std::uint64_t{1} << (64 - position_bits_); }
  // Removes everything and frees the memory.
  void clear();

  // ---- After filling. Groups are numbered from 0 in the order of the parts, then in their order within the part.

  // Numbers the groups. Afterwards the places are sorted by group, as they were added.
  void number(const Context& context);
  void sort_by_position(const Context& context);
  void sort_by_group(const Context& context);

  // While sorted by position: calls visit(position, group) for the places from the cursor up to `last`, in any
  // order, and advances the cursor. Each thread has its own cursor and calls seek() before it goes back to a lower
  // position.
  using Cursor = std::vector<std::size_t>;
  void seek(Cursor& cursor, std::uint64_t position) const;
  template <class Visit>
  void visit(Cursor& cursor, std::uint64_t last, Visit visit) const {
    const unsigned group_bits = 64 - position_bits_;
    const std::uint64_t mask = low_mask(group_bits);
    const std::uint64_t limit = last << group_bits;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      const Segment& segment = segments_[s];
      std::size_t at = cursor[s];
      for (; at < segment.used && segment.places[at] < limit; ++at)
        visit(segment.places[at] >> group_bits, segment.places[at] & mask);
      cursor[s] = at;
    }
  }

  // While sorted by group: calls piece(records) for consecutive pieces of the places of groups [first, last), in
  // order. A record has its group number in the bits above `position_bits` and its position below. A group may
  // continue in the next piece.
  template <class Piece>
  void for_each_piece(std::uint64_t first, std::uint64_t last, Piece piece) const {
    auto base = std::upper_bound(bases_.begin(), bases_.end(), first);
    for (; base != bases_.end() && *(base - 1) < last; ++base)
      for (const Stretch& stretch : parts_[static_cast<std::size_t>(base - 1 - bases_.begin())].stretches) {
        const std::span<const std::uint64_t> records = clip(stretch, first, last);
        if (!records.empty()) piece(records);
      }
  }
  std::uint64_t group_of(std::uint64_t record) const { return record >> position_bits_; }
  std::uint64_t position_of(std::uint64_t record) const { return record & low_mask(position_bits_); }

 private:
  static constexpr std::uint64_t low_mask(unsigned bits) {
    return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  }

  // Aligned, so that segments that different workers fill share no cache line.
  struct alignas(64) Segment {
    Segment(MemoryBudget& budget, std::size_t size) : places(budget, "repeated n-grams", size) {}
    Array<std::uint64_t> places;
    std::size_t used = 0;
  };
  // Consecutive places of one part in a segment.
  struct Stretch {
    std::size_t segment;
    std::size_t begin;
    std::size_t size;
  };
  struct alignas(64) Part {
    std::vector<Stretch> stretches;
    std::uint64_t groups = 0;
  };
  struct alignas(64) Worker {
    Segment* segment = nullptr;
    std::size_t number = 0;  // number of the segment
    std::size_t part = 0;    // the part that is being filled
  };

  Segment& segment_for(Worker& worker, std::size_t part);
  std::span<const std::uint64_t> clip(const Stretch& stretch, std::uint64_t first, std::uint64_t last) const;

  const unsigned position_bits_;
  const std::size_t segment_places_;
  MemoryBudget& budget_;
  std::vector<Worker> workers_;
  std::vector<Part> parts_;
  std::vector<std::uint64_t> bases_;  // number of each part's first group
  std::mutex mutex_;
  std::deque<Segment> segments_;  // guarded by mutex_ while segments are added
};

// N-grams of a slice in the form in which the shuffle holds them: eight bytes, with as much of the key as fits
// above the position.

// Keeps only the numbers that agree with a neighbor in all bits but the low `bits`, and moves them to the front.
// `numbers` is ascending, and the result is, too. Returns how many were kept.
std::size_t keep_neighbours(std::span<std::uint64_t> numbers, unsigned bits);

// Compared as numbers, the records are ordered by key, then by position.
class PackedLayout : public store::NumberLayout {
 public:
  // `singles`: whether n-grams that occur only once are wanted.
  PackedLayout(unsigned position_bits, bool singles) : position_bits_(position_bits), singles_(singles) {}

  std::size_t pick_groups(std::uint64_t* begin, std::size_t size) const {
    return singles_ ? size : keep_neighbours({begin, size}, position_bits_);
  }

 private:
  unsigned position_bits_;
  bool singles_;
};

}  // namespace refrain::ngram
