#include "engines/cuda/kernels/batch.cuh"

namespace refrain::cuda {

__global__ void find_first_texts(DeviceTexts texts, std::uint64_t tiles, std::uint64_t* firsts) {
  const std::uint64_t tile = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (tile >= tiles) return;
  const std::uint64_t byte = tile * kTileBytes;
  std::uint64_t low = 0;  // the last text known to begin at the byte or before it
  std::uint64_t high = texts.count;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (texts.offsets[middle] <= byte)
      low = middle;
    else
      high = middle;
  }
  firsts[tile] = low;
}

}  // namespace refrain::cuda
