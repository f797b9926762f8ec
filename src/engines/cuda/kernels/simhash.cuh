// SimHash of a batch of texts in device memory (defined in engines/sketch/simhash.h).
//
// A warp takes a tile and divides its lanes among the texts in it, up to 32 at once, by size. A lane adds its
// features to counters of its own, which are then added up over the lanes of a text. If a text lies in several
// tiles, its counts are added up in device memory, in the slot of the tile in which it begins: at most one text
// continues past the end of a tile. A second kernel makes fingerprints from these slots.
#pragma once

#include "engines/cuda/kernels/batch.cuh"

namespace refrain::cuda {

struct SimHashRule {
  Members members;
  bool sdbm;  // hash with sdbm, for windows of one token; otherwise with xxh3
  FeatureRule feature;
  bool tie_sets_bit;
};

inline constexpr std::uint8_t kForCpu = 2;  // in `valid`

// The device memory that a batch takes, apart from the texts and the results.
struct SimHashBuffers {
  std::uint64_t* firsts;    // one per tile
  std::uint32_t* counts;    // 64 per tile
  std::uint32_t* features;  // one per tile
};
inline constexpr std::uint64_t kSimHashTileBytes = 8 + 64 * 4 + 4;

// Sets hashes[i] and valid[i] as Fingerprinter::batch does, but valid[i] is kForCpu if the text is left to the CPU.
void simhash(const DeviceTexts& texts, const SimHashRule& rule, const SimHashBuffers& room, std::uint64_t* hashes,
             std::uint8_t* valid, cudaStream_t stream);

}  // namespace refrain::cuda
