// What goes of a repeated range where the first copy of everything stays.
#pragma once

#include <algorithm>
#include <cstdint>

#include "refrain/text.h"

namespace refrain::verbs::evidence {

// Calls remove(range) for what of `piece` is not in [first, end), ranges that hold first copies, ascending. `first` moves
// on: pieces must be ascending too.
template <class Remove>
void without_first_copies(ByteRange piece, const ByteRange*& first, const ByteRange* end, Remove remove) {
  while (first != end && first->end <= piece.begin) ++first;
  std::uint64_t at = piece.begin;
  for (const ByteRange* one = first; one != end && one->begin < piece.end; ++one) {
    if (at < one->begin) remove(ByteRange{at, std::min(one->begin, piece.end)});
    at = std::min(one->end, piece.end);
  }
  if (at < piece.end) remove(ByteRange{at, piece.end});
}

}  // namespace refrain::verbs::evidence
