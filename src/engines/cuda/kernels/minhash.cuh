// MinHash signatures of a batch of texts in device memory (engines/sketch/minhash.h says what they are), and what is kept
// of them.
//
// A warp takes a tile, and the texts in it one after the other. All lanes make features together; then each of them goes
// through all those features for lanes of the signature of its own, which stay in registers. A text that lies in several
// tiles has the least of each lane found in device memory.
#pragma once

#include "engines/cuda/kernels/batch.cuh"

namespace refrain::cuda {

struct MinHashRule {
  Members members;
  FeatureRule feature;
  const std::uint32_t* factors;  // kSignatureLanes, in device memory
  const std::uint32_t* addends;
};

// firsts: room for 8 bytes a tile. valid[i] is 1 for a text that has a signature, 0 for one that is too short (all lanes
// have the greatest value), kForCpu for one that is left to the CPU.
void minhash(const DeviceTexts& texts, const MinHashRule& rule, std::uint64_t* firsts, std::uint32_t* signatures,
             std::uint8_t* valid, cudaStream_t stream);

// What is kept of a signature: the low byte of each lane, then the bands' keys, as engines/matching/bands.h makes them.
// kSignatureLanes / 4 + bands words each.
void minhash_sketches(const std::uint32_t* signatures, std::uint64_t count, unsigned bands, unsigned rows,
                      std::uint32_t* sketches, cudaStream_t stream);

}  // namespace refrain::cuda
