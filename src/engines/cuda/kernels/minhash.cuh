// MinHash signatures of a batch of texts in device memory (defined in engines/sketch/minhash.h), and their stored
// part.
//
// A warp takes a tile and processes its texts one after the other. All lanes make features together; then each lane
// goes through all these features for its own lanes of the signature, which stay in registers. If a text lies in
// several tiles, the minimum of each lane is formed in device memory.
#pragma once

#include "engines/cuda/kernels/batch.cuh"

namespace refrain::cuda {

struct MinHashRule {
  Members members;
  FeatureRule feature;
  const std::uint32_t* factors;  // kSignatureLanes of them, in device memory
  const std::uint32_t* addends;
};

// firsts: 8 bytes per tile. Sets valid[i] to 1 for a text that has a signature, to 0 for one that is too short (all
// lanes have the greatest value), and to kForCpu or more for one that is left to the CPU.
void minhash(const DeviceTexts& texts, const MinHashRule& rule, std::uint64_t* firsts, std::uint32_t* signatures,
             std::uint8_t* valid, cudaStream_t stream);

// Makes the stored part of each signature: the low byte of each lane, then the keys of the bands, as
// engines/matching/bands.h defines them: kSignatureLanes / 4 + bands words.
void minhash_sketches(const std::uint32_t* signatures, std::uint64_t count, unsigned bands, unsigned rows,
                      std::uint32_t* sketches, cudaStream_t stream);

}  // namespace refrain::cuda
