// Cuts a join into parts that fit into device memory. Fingerprints are assigned to buckets by a hash of their sort
// key, so equal keys are in one bucket, however skewed the set is. A part is a range of buckets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engines/cuda/kernels/hash.h"

namespace refrain::cuda {

inline constexpr unsigned kBuckets = 4096;
REFRAIN_HOST_DEVICE unsigned bucket_of(std::uint64_t key) {
  return static_cast<unsigned>(mix_window(key) >> 52U);
}

struct JoinPart {
  unsigned first;  // the first bucket
  unsigned last;   // the bucket after the last one
};

// Returns parts of at most `most` fingerprints, in order; bucket b has counts[b] of them. Empty if one bucket has
// more.
inline std::vector<JoinPart> cut_into_parts(std::span<const std::uint64_t> counts, std::uint64_t most) {
  std::vector<JoinPart> parts{{0, 0}};
  std::uint64_t inside = 0;
  for (const std::uint64_t count : counts) {
    if (count > most) return {};
    if (inside + count > most) {
      parts.push_back({parts.back().last, parts.back().last});
      inside = 0;
    }
    inside += count;
    ++parts.back().last;
  }
  return parts;
}

}  // namespace refrain::cuda
