// Aligning: from a place where two documents agree to all of the passage that they share there.
//
// Two runs of tokens are laid side by side; a token that agrees is worth `match`, and one that was substituted,
// inserted or lost costs `edit`. Growing goes on from a point where both agree, for as long as the worth stays within
// max_gap * edit of the best so far, and ends where it was best. So noise is bridged as long as there is no more than
// max_gap of it in a row, and an end is where what follows is worth less than it costs. Of several best ends it is
// the shortest; of those the one whose two lengths differ least, and then the one that takes fewer tokens of `a`.
//
// It is the furthest-reaching method (Myers; Ukkonen): for every penalty and every diagonal only how far one can
// come. With i and j tokens taken, of which m agree, s are substituted and g inserted or lost, i + j = 2 m + 2 s + g,
// so
//   2 * worth = match * (i + j) - penalty,  penalty = s * 2 (edit + match) + g * (2 edit + match)
// and who has come furthest for his penalty on his diagonal is also worth most. Where a diagonal falls too far below
// the best of all lower penalties it is given up. It costs about tokens + edits * max_gap: nothing is quadratic in
// the length of a passage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace refrain::blot {

struct AlignRules {
  unsigned match = 1;    // what a token that agrees is worth: the interleaving of the index
  unsigned edit = 1;     // what one that does not costs: 2 where a token is a character, which says little
  unsigned max_gap = 8;  // edits in a row that are bridged
};

struct Growth {
  std::size_t a = 0;  // tokens taken of each
  std::size_t b = 0;
  std::size_t matches = 0;
  // A span ended before the growing did: longer spans might give more. Where it is not set they give the same.
  bool open = false;
  friend bool operator==(const Growth&, const Growth&) = default;
};

// Keeps its buffers. Not thread-safe. Spans of less than 2^31 tokens.
class Aligner {
 public:
  explicit Aligner(const AlignRules& rules);

  // From the beginnings of both spans on; or, backward, from their ends.
  Growth forward(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);
  Growth backward(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

  // Where two whole runs agree. It is worth as much as can be, among the paths that growing would follow; where none of
  // them leads to both ends, wider ones are tried, and where that would take too long, the rest of both runs counts as
  // different.
  struct Run {
    std::size_t a = 0;
    std::size_t b = 0;
    std::size_t length = 0;
    friend bool operator==(const Run&, const Run&) = default;
  };
  std::vector<Run> align(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

  // Diagonals looked at, over all penalties and all calls: what it has cost, besides comparing tokens that agree.
  std::uint64_t cells() const { return cells_; }

 private:
  // How far one came on a diagonal: tokens of `a` taken, and those that agree. In the store a cell is one number,
  // that is larger for who came further, and then for who agrees more; 0 where it was given up.
  struct Cell {
    std::int32_t reach = -1;  // -1: given up
    std::uint32_t matches = 0;

    static Cell from(std::uint64_t packed) {
      return {static_cast<std::int32_t>(packed >> 32U) - 1, static_cast<std::uint32_t>(packed)};
    }
    std::uint64_t packed() const { return (static_cast<std::uint64_t>(reach + 1) << 32U) | matches; }
  };
  // The cells of one penalty: diagonals (tokens of `a` less tokens of `b`) from `low` on. In store_, kMargin cells
  // that are given up precede and follow them, which neighbouring waves share.
  struct Wave {
    std::int32_t low = 0;
    std::int32_t count = 0;
    std::size_t first = 0;  // in store_
    std::int32_t high() const { return low + count - 1; }
  };
  // A cell, and where it is.
  struct End {
    std::size_t wave = 0;
    std::int32_t diagonal = 0;
    Cell cell = {0, 0};
    std::int64_t worth = 0;  // twice
  };
  // How a spreading went: whether it came to the ends of both runs, ran out of room, or died out (neither).
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
  // The best way into a diagonal at a wave, and from where: the diagonals of a token of `a` lost, one inserted,
  // neither.
  struct Entry {
    Cell cell;
    std::uint32_t wave = 0;  // waves back
    std::int32_t from = 0;
  };
  Wave next_wave(std::size_t wave) const;
  // The cells of a wave as one comes to them.
  void enter(std::size_t wave, const Wave& next, std::int32_t a, std::int32_t b);
  // The cells of the wave `back` waves ago, from diagonal `low` on; none where [low, high] goes beyond its margins.
  const std::uint64_t* cells_from(std::size_t wave, std::uint32_t back, std::int32_t low, std::int32_t high) const;
  Entry entry(std::size_t wave, std::int32_t diagonal, std::int32_t a, std::int32_t b) const;
  Cell at(std::size_t wave, std::uint32_t back, std::int32_t diagonal) const;
  void forget_waves(std::size_t wave);
  // The runs on the way to `end`, moved by (x, y), behind what is in `runs`.
  void trace(const End& end, std::int32_t a, std::int32_t b, std::size_t x, std::size_t y,
             std::vector<Run>& runs) const;

  AlignRules rules_;
  std::uint32_t unit_;        // penalties are counted in this,
  std::uint32_t substitute_;  // and these are an edit's
  std::uint32_t gap_;
  std::vector<Wave> waves_;  // of one call; in the spreading of grow() only the last ones are kept
  std::vector<std::uint64_t> store_;
  std::size_t used_ = 0;  // of store_
  std::uint64_t cells_ = 0;
};

}  // namespace refrain::blot
