// The records that bring equal windows together, packed: there is one a sample, and samples are a few percent of the
// bytes of the text.
#pragma once

#include <compare>
#include <cstdint>

namespace refrain {

// Positions are below 2^44: 16 TiB of text.
inline constexpr unsigned kPositionBits = 44;
inline constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << kPositionBits;

// A sample: by the hash of its core; then by its context, which is all that its windows hold.
struct SampleRecord {
  SampleRecord() = default;
  SampleRecord(std::uint64_t hash, std::uint32_t context_hash, std::uint64_t position, unsigned before,
               unsigned window_count)
      : hash_high(static_cast<std::uint32_t>(hash >> 32U)),
        hash_low(static_cast<std::uint32_t>(hash)),
        context(context_hash),
        shape(before << 26U | (window_count - 1) << 20U | static_cast<std::uint32_t>(position >> 32U)),
        position_low(static_cast<std::uint32_t>(position)) {}

  std::uint64_t hash() const { return std::uint64_t{hash_high} << 32U | hash_low; }
  std::uint64_t position() const { return std::uint64_t{shape & 0xFFFFFU} << 32U | position_low; }
  unsigned before() const { return shape >> 26U; }  // the first window begins so many bytes before the core
  unsigned windows() const { return (shape >> 20U & 63U) + 1; }
  // Equal contexts, as far as hashes tell.
  bool same_context(const SampleRecord& other) const {
    return context == other.context && shape >> 20U == other.shape >> 20U;
  }

  std::uint32_t hash_high;
  std::uint32_t hash_low;
  std::uint32_t context;
  std::uint32_t shape;
  std::uint32_t position_low;
  friend auto operator<=>(const SampleRecord&, const SampleRecord&) = default;
};
struct HashOfSample {
  std::uint64_t operator()(const SampleRecord& record) const { return record.hash(); }
};

// A window by the hash of all its bytes. `weight` is min_count for one that stands for so many equal ones, else 1.
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

// Repeated windows [first, first + windows), each equal to the one at the same distance from `target`: the earliest that
// there is (see plan.h), or they themselves where they are the earliest. No window is in two links.
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

}  // namespace refrain
