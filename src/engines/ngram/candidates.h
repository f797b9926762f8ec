// Candidates: groups of places whose n-grams have equal keys, so far as keys were kept, waiting to be compared with the
// text.
//
// A place takes eight bytes, a position and the number of its group, and lies in one of a few dozen segments. Segments
// are sorted one by one, in place, by group or by position: so the same bytes serve the pass over the text, which comes
// by position, and the writing of the index, which goes by group.
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

namespace refrain::ngram {

class Candidates {
 public:
  Candidates(unsigned position_bits, unsigned workers, std::size_t parts, std::size_t segment_places,
             MemoryBudget& budget);

  // ---- Filling. A part is filled by one worker at a time, its groups in order, the positions of a group rising.

  void begin_group(unsigned worker, std::size_t part);
  // Places of the group begun last. Only the low `position_bits` of each count.
  void add(unsigned worker, std::span<const std::uint64_t> records);

  std::uint64_t places() const;
  std::uint64_t groups() const;
  std::uint64_t segment_bytes() const { return segment_places_ * sizeof(std::uint64_t); }
  // No more groups than this can be told apart.
  std::uint64_t most_groups() const { return std::uint64_t{1} << (64 - position_bits_); }
  // Forgets all. Keeps no memory.
  void clear();

  // ---- Once filled: groups are numbered from 0, in the order of the parts, then of the groups.

  // Numbers the groups. Afterwards the places are sorted by group, as they were filled in.
  void number(const Context& context);
  void sort_by_position(const Context& context);
  void sort_by_group(const Context& context);

  // While sorted by position: calls visit(position, group) for the places in [first, last), in any order. `cursor` is
  // the caller's, one a thread; seek() before positions fall.
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

  // While sorted by group: the places of the groups [first, last), piece after piece, in order. Calls piece(records),
  // each a group number above position_bits of position. A group may go on in the next piece.
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

  // Those that workers fill side by side share no cache line.
  struct alignas(64) Segment {
    Segment(MemoryBudget& budget, std::size_t size) : places(budget, "repeated n-grams", size) {}
    Array<std::uint64_t> places;
    std::size_t used = 0;
  };
  // Places of one part that lie together in a segment.
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
    std::size_t number = 0;  // of the segment
    std::size_t part = 0;    // the one that is being filled
  };

  Segment& segment_for(Worker& worker, std::size_t part);
  std::span<const std::uint64_t> clip(const Stretch& stretch, std::uint64_t first, std::uint64_t last) const;

  const unsigned position_bits_;
  const std::size_t segment_places_;
  MemoryBudget& budget_;
  std::vector<Worker> workers_;
  std::vector<Part> parts_;
  std::vector<std::uint64_t> bases_;  // the number of a part's first group
  std::mutex mutex_;
  std::deque<Segment> segments_;  // guarded by mutex_ while they become more
};

}  // namespace refrain::ngram
