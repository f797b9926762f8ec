// Alignment: extends a place where two documents agree to the whole passage that they share there.
//
// Two runs of tokens are compared side by side. A token that agrees scores `match`; a token that was substituted,
// inserted or deleted costs `edit`. Growth starts from a point where both runs agree, continues while the score
// stays within max_gap * edit of the best score so far, and ends where the score was best. So noise is bridged as
// long as there are at most max_gap edits in a row, and a passage ends where what follows scores less than it costs.
// Among several best ends, growth takes the shortest; among those the one whose two lengths differ least, and then
// the one that takes fewer tokens of `a`.
//
// This is the furthest-reaching method (Myers; Ukkonen): for every penalty and every diagonal it keeps only how far
// a path can reach. With i and j tokens taken, of which m agree, s are substituted and g inserted or deleted, i + j
// = 2 m + 2 s + g, so
//   2 * worth = match * (i + j) - penalty,  penalty = s * 2 (edit + match) + g * (2 edit + match)
// and the path that reaches furthest for its penalty on its diagonal also scores most. A diagonal that falls too far
// below the best score of all lower penalties is given up. The cost is about tokens + edits * max_gap: nothing is
// quadratic in the length of a passage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace refrain::blot {

struct AlignRules {
  unsigned match = 1;    // what a token that agrees scores: the interleaving of the index
  unsigned edit = 1;     // what a token that disagrees costs: 2 if tokens are characters, which say little
  unsigned max_gap = 8;  // number of consecutive edits that are bridged
};

struct Growth {
  std::size_t a = 0;  // tokens taken from each
  std::size_t b = 0;
  std::size_t matches = 0;
  // True if growth reached the end of a span, so longer spans might give more. If false, they would give the same.
  bool open = false;
  friend bool operator==(const Growth&, const Growth&) = default;
};

// Keeps its buffers between calls. Not thread-safe. Spans must be shorter than 2^31 tokens.
class Aligner {
 public:
  explicit Aligner(const AlignRules& rules);

  // forward() grows from the beginnings of both spans, backward() from their ends.
  Growth forward(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);
  Growth backward(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

  // Aligns two whole runs and returns where they agree. The result has the highest score among the paths that growth
  // would follow. If none of them leads to both ends, wider ones are tried; if that would take too long, the rest of
  // both runs counts as different.
  struct Run {
    std::size_t a = 0;
    std::size_t b = 0;
    std::size_t length = 0;
    friend bool operator==(const Run&, const Run&) = default;
  };
  std::vector<Run> align(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

  // The number of diagonals examined, over all penalties and all calls: the cost, apart from comparing tokens that
  // agree.
  std::uint64_t cells() const { return cells_; }

 private:
  // How far a path reaches on a diagonal: the number of tokens of `a` taken, and how many of them agree. In store_,
  // a cell is packed into one number, which is larger for a path that reaches further, then for one with more
  // matches, and 0 if the path was given up.
  struct Cell {
    std::int32_t reach = -1;  // -1: given up
    std::uint32_t matches = 0;

    static Cell from(std::uint64_t packed) {
      return {static_cast<std::int32_t>(packed >> 32U) - 1, static_cast<std::uint32_t>(packed)};
    }
    std::uint64_t packed() const { return (static_cast<std::uint64_t>(reach + 1) << 32U) | matches; }
  };
  // The cells of one penalty, by diagonal (tokens of `a` minus tokens of `b`), starting at `low`. In store_, kMargin
  // given-up cells precede and follow them; neighboring waves share these margins.
  struct Wave {
    std::int32_t low = 0;
    std::int32_t count = 0;
    std::size_t first = 0;  // index into store_
    std::int32_t high() const { return low + count - 1; }
  };
  // A cell and its position.
  struct End {
    std::size_t wave = 0;
    std::int32_t diagonal = 0;
    Cell cell = {0, 0};
    std::int64_t worth = 0;  // twice the score
  };
  // The result of spread(): it arrived at the ends of both runs, filled its storage, or died out (neither flag is
  // set).
  struct Spread {
    End best;
    bool open = false;
    bool arrived = false;
    bool full = false;
  };

  template <class Equal>
  Spread spread(std::int32_t a, std::int32_t b, std::int64_t drop, bool whole, Equal equal);
  template <class A, class B>
  bool ends_here(std::int32_t a_size, std::int32_t b_size, A a, B b) const;
  template <class A, class B>
  Growth grow(std::size_t a_size, std::size_t b_size, A a, B b);
  // The best way to enter a diagonal in a wave, and where it comes from: the diagonal for a deleted token of `a`,
  // for an inserted token, or the same diagonal.
  struct Entry {
    Cell cell;
    std::uint32_t wave = 0;  // number of waves back
    std::int32_t from = 0;
  };
  Wave next_wave(std::size_t wave) const;
  // Computes the cells of a wave before matching tokens extend them.
  void enter(std::size_t wave, const Wave& next, std::int32_t a, std::int32_t b);
  // The cells of the wave `back` waves ago, starting at diagonal `low`; nullptr if [low, high] exceeds that wave's
  // margins.
  const std::uint64_t* cells_from(std::size_t wave, std::uint32_t back, std::int32_t low, std::int32_t high) const;
  Entry entry(std::size_t wave, std::int32_t diagonal, std::int32_t a, std::int32_t b) const;
  Cell at(std::size_t wave, std::uint32_t back, std::int32_t diagonal) const;
  void forget_waves(std::size_t wave);
  // Appends the runs on the path to `end`, offset by (x, y), to `runs`.
  void trace(const End& end, std::int32_t a, std::int32_t b, std::size_t x, std::size_t y,
             std::vector<Run>& runs) const;

  AlignRules rules_;
  std::uint32_t unit_;        // the unit in which penalties are counted
  std::uint32_t substitute_;  // the penalties of the edits
  std::uint32_t gap_;
  std::vector<Wave> waves_;  // those of one call; grow() keeps only the cells of the last ones
  std::vector<std::uint64_t> store_;
  std::size_t used_ = 0;  // cells of store_ in use
  std::uint64_t cells_ = 0;
};

}  // namespace refrain::blot
