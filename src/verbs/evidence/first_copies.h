// The parts of a repeated range that are removed when the first copy of everything stays.
#pragma once

#include <algorithm>
#include <cstdint>

#include "refrain/text.h"

namespace refrain::verbs::evidence {

// Calls remove(range) for the parts of `piece` that are not in [first, end), the ascending ranges that hold first
// copies. Advances `first`, so pieces must be ascending, too.
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
