// Counts the features that two sets have in common, for many pairs of sets in device memory. With the sizes of the
// sets, this gives their Jaccard similarity (engines/sketch/feature_set.h), which signatures only estimate.
//
// No verb uses it: for two texts of 4 KB, a core takes 27 us to cut and sort their windows, then 1.5 us to compare
// them, and a set is no smaller than its text. It is for sets that are already on the device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace refrain::cuda {

// Set i is features[begins[i], begins[i + 1]), ascending and without duplicates.
struct DeviceSets {
  const std::uint64_t* features;
  const std::uint64_t* begins;
};

struct SetPair {
  std::uint32_t first;
  std::uint32_t second;
};

// Sets common[i] to the number of features that the sets of pairs[i] have in common.
void common_features(const DeviceSets& sets, const SetPair* pairs, std::uint64_t count, std::uint32_t* common,
                     cudaStream_t stream);

}  // namespace refrain::cuda
