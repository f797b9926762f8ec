// The parameters that all parts of the search for repeated substrings share.
//
// A *window* is `length` consecutive bytes of one document, identified by its begin. Equal windows are found through
// samples: each window chooses, among the `span` cores (runs of k bytes) that it contains, the one with the least
// order value, and the leftmost of several. The choice depends only on the window's bytes, so equal windows choose
// equal cores at the same place: windows can be equal only where their cores are. Neighboring windows mostly choose
// the same core, so there are about 2 / (span + 1) samples per byte.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
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

// The records that bring equal windows together. They are packed, because there is one per sample, and samples are a
// few percent of the bytes of the text.

// Positions are less than 2^44, which allows 16 TiB of text.
inline constexpr unsigned kPositionBits = 44;
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << kPositionBits;

// A sample. Samples are sorted by the hash of the core, then by the context, which is everything that the windows of
// the sample contain. Twenty bytes:
//   44 bits  hash of the core         a collision only makes unrelated samples meet
//   60 bits  hash of the context      must distinguish all contexts of a core, of which there may be many
//   12 bits  where the windows are
//   44 bits  position of the core
struct SampleRecord {
  static constexpr unsigned kCoreBits = 44;

  SampleRecord() = default;
  // The first window begins `before` bytes before the core.
  SampleRecord(std::uint64_t core_hash, std::uint64_t context_hash, std::uint64_t position, unsigned before,
               unsigned windows)
      : words{static_cast<std::uint32_t>(core_hash >> 32U),
              static_cast<std::uint32_t>(core_hash >> 20U & 0xFFFU) << 20U |
                  static_cast<std::uint32_t>(context_hash >> 44U),
              static_cast<std::uint32_t>(context_hash >> 12U),
              static_cast<std::uint32_t>(context_hash >> 4U & 0xFFU) << 24U | before << 18U | (windows - 1) << 12U |
                  static_cast<std::uint32_t>(position >> 32U),
              static_cast<std::uint32_t>(position)} {}

  std::uint64_t core_hash() const { return std::uint64_t{words[0]} << 12U | words[1] >> 20U; }
  std::uint64_t position() const { return std::uint64_t{words[3] & 0xFFFU} << 32U | words[4]; }
  unsigned before() const { return words[3] >> 18U & 63U; }
  unsigned windows() const { return (words[3] >> 12U & 63U) + 1; }
  // Whether the contexts are equal, as far as hashes tell. Both samples must have equal cores.
  bool same_context(const SampleRecord& other) const {
    return words[1] == other.words[1] && words[2] == other.words[2] && words[3] >> 12U == other.words[3] >> 12U;
  }

  std::array<std::uint32_t, 5> words;
  friend auto operator<=>(const SampleRecord&, const SampleRecord&) = default;
};
struct CoreOfSample {
  std::uint64_t operator()(const SampleRecord& record) const { return record.core_hash(); }
};

// A window, with the hash of all its bytes. A heavy one represents min_count equal windows and counts as that many.
struct WindowRecord {
  std::uint64_t hash;
  std::uint64_t place;  // position << 1 | heavy
  std::uint64_t position() const { return place >> 1U; }
  bool heavy() const { return (place & 1U) != 0; }
  friend auto operator<=>(const WindowRecord&, const WindowRecord&) = default;
};
struct HashOfWindow {
  std::uint64_t operator()(const WindowRecord& record) const { return record.hash; }
};

// Repeated windows [first, first + windows), each equal to the one at the same distance from `target`: the earliest
// such window (see plan.h), or the window itself if it is the earliest. No window is in two links.
struct Link {
  static constexpr unsigned kCountBits = 64 - kPositionBits;
  static constexpr std::uint64_t kMaxWindows = (std::uint64_t{1} << kCountBits) - 1;

  Link() = default;
  Link(std::uint64_t first_window, std::uint64_t window_count, std::uint64_t target_window)
      : place(first_window << kCountBits | window_count), target(target_window) {}

  std::uint64_t first() const { return place >> kCountBits; }
  std::uint64_t windows() const { return place & kMaxWindows; }

  std::uint64_t place;
  std::uint64_t target;
  friend auto operator<=>(const Link&, const Link&) = default;
};
struct FirstOfLink {
  std::uint64_t operator()(const Link& link) const { return link.first(); }
};

}  // namespace refrain::substring
