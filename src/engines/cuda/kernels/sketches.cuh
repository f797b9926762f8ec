// The sketches of a batch of texts in device memory: digests, MinHash signatures and SimHash.
#pragma once

#include "engines/cuda/kernels/batch.cuh"

namespace refrain::cuda {

// 128-bit XXH3 digests of a batch of texts in device memory (include/refrain/digest.h).
//
// Writes the upper half of the digest of text i to digests[2 i] and the lower half to digests[2 i + 1], as in
// Digest.
void digests(const DeviceTexts& texts, std::uint64_t* digests, cudaStream_t stream);

// MinHash signatures of a batch of texts in device memory (defined in engines/sketch/minhash.h), and their stored
// part.
//
// A warp takes a tile and processes its texts one after the other. All lanes make features together; then each lane
// goes through all these features for its own lanes of the signature, which stay in registers. If a text lies in
// several tiles, the minimum of each lane is formed in device memory.

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

// SimHash of a batch of texts in device memory (defined in engines/sketch/simhash.h).
//
// A warp takes a tile and divides its lanes among the texts in it, up to 32 at once, by size. A lane adds its
// features to counters of its own, which are then added up over the lanes of a text. If a text lies in several
// tiles, its counts are added up in device memory, in the slot of the tile in which it begins: at most one text
// continues past the end of a tile. A second kernel makes fingerprints from these slots.

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
