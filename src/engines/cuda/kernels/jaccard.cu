#include "engines/cuda/kernels/jaccard.cuh"

#include "engines/cuda/kernels/batch.cuh"

namespace refrain::cuda {

namespace {

constexpr std::uint64_t kSearchRatio = 64;  // from this ratio of sizes on, sets are searched instead of merged

struct Set {
  const std::uint64_t* features;
  std::uint64_t size;
};

// Searches the large set for every feature of the small one.
__device__ unsigned look_up(const Set& small, const Set& large, unsigned lane) {
  unsigned found = 0;
  for (std::uint64_t i = lane; i < small.size; i += kLanes) {
    const std::uint64_t feature = small.features[i];
    std::uint64_t first = 0;
    std::uint64_t last = large.size;
    while (first < last) {
      const std::uint64_t middle = (first + last) / 2;
      if (large.features[middle] < feature)
        first = middle + 1;
      else
        last = middle;
    }
    found += first < large.size && large.features[first] == feature ? 1 : 0;
  }
  return found;
}

// Compares 32 features of each side at a time; then the side whose last feature is less advances.
__device__ unsigned merge(const Set& a, const Set& b, unsigned lane) {
  unsigned found = 0;
  std::uint64_t at_a = 0;
  std::uint64_t at_b = 0;
  while (at_a < a.size && at_b < b.size) {
    const unsigned in_a = a.size - at_a < kLanes ? static_cast<unsigned>(a.size - at_a) : kLanes;
    const unsigned in_b = b.size - at_b < kLanes ? static_cast<unsigned>(b.size - at_b) : kLanes;
    const std::uint64_t mine = lane < in_a ? a.features[at_a + lane] : 0;
    const std::uint64_t other = lane < in_b ? b.features[at_b + lane] : 0;
    bool equal = false;
    for (unsigned i = 0; i < in_b; ++i) equal = __shfl_sync(kAll, other, i) == mine || equal;
    found += equal && lane < in_a ? 1 : 0;
    const std::uint64_t last_a = __shfl_sync(kAll, mine, in_a - 1);
    const std::uint64_t last_b = __shfl_sync(kAll, other, in_b - 1);
    if (last_a <= last_b) at_a += in_a;
    if (last_b <= last_a) at_b += in_b;
  }
  return found;
}

// A warp processes a pair.
__global__ void __launch_bounds__(kWarps* kLanes)
    count_common(DeviceSets sets, const SetPair* pairs, std::uint64_t count, std::uint32_t* common) {
  const std::uint64_t number = std::uint64_t{blockIdx.x} * kWarps + threadIdx.x / kLanes;
  const unsigned lane = threadIdx.x % kLanes;
  if (number >= count) return;
  const auto set = [&](std::uint32_t which) {
    return Set{sets.features + sets.begins[which], sets.begins[which + 1] - sets.begins[which]};
  };
  Set small = set(pairs[number].first);
  Set large = set(pairs[number].second);
  if (small.size > large.size) {
    const Set other = small;
    small = large;
    large = other;
  }
  const unsigned found =
      large.size / kSearchRatio > small.size ? look_up(small, large, lane) : merge(small, large, lane);
  const unsigned all = __reduce_add_sync(kAll, found);
  if (lane == 0) common[number] = all;
}

}  // namespace

void common_features(const DeviceSets& sets, const SetPair* pairs, std::uint64_t count, std::uint32_t* common,
                     cudaStream_t stream) {
  if (count == 0) return;
  count_common<<<static_cast<unsigned>((count + kWarps - 1) / kWarps), kWarps * kLanes, 0, stream>>>(sets, pairs, count,
                                                                                                     common);
}

}  // namespace refrain::cuda
