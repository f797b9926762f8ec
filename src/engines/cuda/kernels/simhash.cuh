// SimHash of a batch of texts in device memory (engines/sketch/simhash.h says what it is).
//
// A warp takes a tile, and shares its lanes out among the texts in it, up to 32 at once, by their sizes. A lane adds its
// features to counters of its own, which are then added up over the lanes of a text. A text that does not lie in one tile has its counts added up in device memory, in the slot of the tile in
// which it begins: one text at most goes on from there. A second kernel makes fingerprints of those.
#pragma once

#include "engines/cuda/kernels/batch.cuh"

namespace refrain::cuda {

struct SimHashRule {
  Members members;
  bool sdbm;  // else xxh3; windows are of one token then
  FeatureRule feature;
  bool tie_sets_bit;
};

inline constexpr std::uint8_t kForCpu = 2;  // in `valid`

// Device memory that a batch takes beside the texts and the results.
struct SimHashRoom {
  std::uint64_t* firsts;    // a tile
  std::uint32_t* counts;    // 64 a tile
  std::uint32_t* features;  // a tile
};
inline constexpr std::uint64_t kSimHashTileBytes = 8 + 64 * 4 + 4;

// hashes[i] and valid[i] as Fingerprinter::batch says; valid[i] is kForCpu where the CPU has to do it.
void simhash(const DeviceTexts& texts, const SimHashRule& rule, const SimHashRoom& room, std::uint64_t* hashes,
             std::uint8_t* valid, cudaStream_t stream);

}  // namespace refrain::cuda
