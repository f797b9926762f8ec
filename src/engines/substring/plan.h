// The parameters that all parts of the search for repeated substrings share.
//
// A *window* is `length` consecutive bytes of one document, identified by its begin. Equal windows are found through
// samples: each window chooses, among the `span` cores (runs of k bytes) that it contains, the one with the least
// order value, and the leftmost of several. The choice depends only on the window's bytes, so equal windows choose
// equal cores at the same place: windows can be equal only where their cores are. Neighboring windows mostly choose
// the same core, so there are about 2 / (span + 1) samples per byte.
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

  // The offsets of the windows around a core must fit into a set of 64 bits.
  static constexpr std::size_t kMaxSpan = 64;
  // The number of bytes that determine the order value of a core: its first ones.
  static constexpr std::size_t kOrderBytes = 8;

  std::size_t length;
  std::size_t span;  // number of cores in a window
  std::size_t core;  // number of bytes in a core
  std::uint64_t min_count;
  // Whether every repeated window must be linked to the earliest window that equals it. If not, any earlier one will
  // do, which allows some shortcuts.
  bool places;
  std::uint64_t seed;
};

}  // namespace refrain::substring
