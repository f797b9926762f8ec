// Vertical counters, as in engines/sketch/simhash.h, for up to as many features as a tile can have: plane p holds
// bit p of 64 counts. All indices are known at compile time, so the planes stay in registers.
#pragma once

#include "engines/cuda/kernels/tile.h"

namespace refrain::cuda {

inline constexpr unsigned kPlanes = 13;  // at most kTileBytes features
static_assert(kTileBytes < 1U << kPlanes);

struct Planes {
  std::uint64_t bits[kPlanes] = {};

  // Adds two or eight features; missing ones are 0. `batch` is the number of this call, from 1, which limits how far
  // a carry can propagate.
  REFRAIN_HOST_DEVICE void add(std::uint64_t a, std::uint64_t b, unsigned batch) { carry<1>(add_at<0>(a, b), batch); }
  REFRAIN_HOST_DEVICE void add(const std::uint64_t (&features)[8], unsigned batch) {
    const std::uint64_t fours_a = add_at<1>(add_at<0>(features[0], features[1]), add_at<0>(features[2], features[3]));
    const std::uint64_t fours_b = add_at<1>(add_at<0>(features[4], features[5]), add_at<0>(features[6], features[7]));
    carry<3>(add_at<2>(fours_a, fours_b), batch);
  }

  // How often bit `bit` was set.
  REFRAIN_HOST_DEVICE unsigned count(unsigned bit, unsigned planes) const {
    unsigned count = 0;
    REFRAIN_UNROLL
    for (unsigned p = 0; p < kPlanes; ++p)
      if (p < planes) count |= static_cast<unsigned>(bits[p] >> bit & 1U) << p;
    return count;
  }

  // The bits that were set at least `enough` times. `planes` must be enough for all counts.
  REFRAIN_HOST_DEVICE std::uint64_t at_least(unsigned enough, unsigned planes) const {
    std::uint64_t reached = ~std::uint64_t{0};
    REFRAIN_UNROLL
    for (unsigned p = 0; p < kPlanes; ++p)
      if (p < planes) reached = (enough >> p & 1U) != 0 ? bits[p] & reached : bits[p] | reached;
    return reached;
  }

  static REFRAIN_HOST_DEVICE std::uint64_t majority(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return (a & b) | (b & c) | (a & c);
  }

 private:
  // Adds two words to a plane and returns the carry.
  template <unsigned plane>
  REFRAIN_HOST_DEVICE std::uint64_t add_at(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t out = majority(bits[plane], a, b);
    bits[plane] ^= a ^ b;
    return out;
  }
  // Adds a word to plane `first` and those above it, for the `times`-th time.
  template <unsigned first>
  REFRAIN_HOST_DEVICE void carry(std::uint64_t word, unsigned times) {
    REFRAIN_UNROLL
    for (unsigned p = first; p < kPlanes; ++p) {
      if (times >> (p - first) == 0) break;
      const std::uint64_t out = bits[p] & word;
      bits[p] ^= word;
      word = out;
    }
  }
};

// The number of features in which a bit must be set, out of `features`, which is at least 1.
REFRAIN_HOST_DEVICE std::uint64_t enough_of(std::uint64_t features, bool tie_sets_bit) {
  return tie_sets_bit ? (features + 1) / 2 : features / 2 + 1;
}

}  // namespace refrain::cuda
