// 128-bit XXH3 digests of a batch of texts in device memory (include/refrain/digest.h).
#pragma once

#include "engines/cuda/kernels/batch.cuh"

namespace refrain::cuda {

// Writes the upper half of the digest of text i to digests[2 i] and the lower half to digests[2 i + 1], as in
// Digest.
void digests(const DeviceTexts& texts, std::uint64_t* digests, cudaStream_t stream);

}  // namespace refrain::cuda
