// Aligning: from a place where two documents agree to all of the passage that they share there.
//
// Two runs of tokens are laid side by side; a token that agrees is worth `match`, and one that was substituted, inserted
// or lost costs `edit`. Growing goes on from a point where both agree, for as long as the worth stays within
// max_gap * edit of the best so far, and ends where it was best (the first such end). So noise is bridged as long as
// there is less than max_gap of it in a row, and an end is where what follows is worth less than it costs.
//
// It is the furthest-reaching method (Myers; Ukkonen): for every number of edits and every diagonal only how far one can
// come, so it costs about tokens + edits * max_gap, and nothing is quadratic in the length of a passage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace refrain {

struct AlignRules {
  unsigned match = 1;    // what a token that agrees is worth: the interleaving of the index
  unsigned edit = 1;     // what one that does not costs: 2 where a token is a character, which says little
  unsigned max_gap = 8;  // edits in a row that are bridged
};

struct Growth {
  std::size_t a = 0;  // tokens taken of each
  std::size_t b = 0;
  std::size_t matches = 0;
  // A span ended before the growing did: longer spans might give more.
  bool open = false;
  friend bool operator==(const Growth&, const Growth&) = default;
};

// Keeps its buffers. Not thread-safe.
class Aligner {
 public:
  explicit Aligner(const AlignRules& rules) : rules_(rules) {}

  // From the beginnings of both spans on; or, backward, from their ends.
  Growth forward(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);
  Growth backward(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

  // Where two runs, both taken whole, agree: a.size() and b.size() tokens of which equal(i, j) tells whether they are the
  // same. With as few edits as there can be (among the paths that growing would follow).
  struct Run {
    std::size_t a = 0;
    std::size_t b = 0;
    std::size_t length = 0;
    friend bool operator==(const Run&, const Run&) = default;
  };
  std::vector<Run> align(std::size_t a, std::size_t b, const std::function<bool(std::size_t, std::size_t)>& equal);

 private:
  AlignRules rules_;
};

}  // namespace refrain
