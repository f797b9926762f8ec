// What all parts of the search for repeated substrings agree on.
//
// A *window* is `length` consecutive bytes of one document, named by where it begins. Equal windows are found through
// samples: in each window, the k bytes ("core") whose order value is least among the `span` cores that the window
// holds, the leftmost of several. That choice depends on the bytes of the window alone, so equal windows choose equal
// cores at the same place: windows can only be equal where their cores are. Neighbouring windows mostly choose the same
// core, so there are about 2 / (span + 1) samples a byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace refrain::substring {

struct SubstringPlan {
  SubstringPlan(std::size_t window_length, std::uint64_t count, bool with_places, std::uint64_t hash_seed)
      : length(window_length),
        span(std::clamp<std::size_t>(window_length / 2, 1, std::min(kMaxSpan, window_length - kOrderBytes + 1))),
        core(window_length - span + 1),
        min_count(count),
        places(with_places),
        seed(hash_seed) {}

  // The offsets of windows around a core fit a 64-bit set.
  static constexpr std::size_t kMaxSpan = 64;
  // What the order value of a core is made of: its first bytes.
  static constexpr std::size_t kOrderBytes = 8;

  std::size_t length;
  std::size_t span;  // cores in a window
  std::size_t core;  // bytes of a core
  std::uint64_t min_count;
  // Every repeated window is to be linked to the very earliest that is equal to it. Else some short cuts may be taken,
  // and it is enough to know that there is an earlier one.
  bool places;
  std::uint64_t seed;
};

}  // namespace refrain::substring
