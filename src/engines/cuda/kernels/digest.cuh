// XXH3 digests, of 128 bits, of a batch of texts in device memory (include/refrain/digest.h).
#pragma once

#include "engines/cuda/kernels/batch.cuh"

namespace refrain::cuda {

// digests[2 i] is the upper half of that of text i, digests[2 i + 1] the lower one: as Digest lies in memory.
void digests(const DeviceTexts& texts, std::uint64_t* digests, cudaStream_t stream);

}  // namespace refrain::cuda
