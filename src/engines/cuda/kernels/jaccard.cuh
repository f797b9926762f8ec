// How many features two sets have in common, for many pairs of sets in device memory: with the sizes of the sets that is
// their Jaccard similarity (engines/sketch/feature_set.h), which signatures only estimate.
//
// No verb uses it: two texts of 4 KB take a core 27 us to be cut into windows and sorted, and then 1.5 us to be compared; and
// a set is no smaller than its text. It is for whoever has the sets on the device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace refrain::cuda {

// Set i is features[begins[i], begins[i + 1]): ascending, each once.
struct DeviceSets {
  const std::uint64_t* features;
  const std::uint64_t* begins;
};

struct SetPair {
  std::uint32_t first;
  std::uint32_t second;
};

// common[i] is that of pairs[i].
void common_features(const DeviceSets& sets, const SetPair* pairs, std::uint64_t count, std::uint32_t* common,
                     cudaStream_t stream);

}  // namespace refrain::cuda
