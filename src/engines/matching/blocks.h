// Blocks: a fingerprint's bits cut into groups of bits, so that near fingerprints are equal in some of them.
//
// Two fingerprints that differ in at most d bits agree in at least m - d of any m disjoint blocks. Which bits make a
// block is free: only the time depends on it. So blocks are cut where the data has its information: bits that hardly
// vary in the set at hand are worth little, and each block gets its fair share of the rest. That is what keeps skewed
// sets (where a half of the bits may be the same everywhere) from ending up in a few enormous groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace refrain::matching {

struct Block {
  std::uint64_t mask = 0;
  // Expected share of pairs that are equal in the block, were bits independent.
  double collisions = 1;
};

// `count` disjoint blocks for this set; fewer, where fewer bits vary in it. From a sample of the set where it is large.
std::vector<Block> balanced_blocks(std::span<const std::uint64_t> set, unsigned count);

// The blocks with which a join that sorts the whole set by every choice of blocks - distance of them, as one on a GPU does,
// is fastest. None where every cut leaves so many pairs to compare that it is not worth it.
std::vector<std::uint64_t> sorting_blocks(std::span<const std::uint64_t> set, unsigned distance);

// A number of bits() bits that is equal wherever the masked bits are; and only there, where the mask is one run of at
// most `most_bits` bits.
class BlockKey {
 public:
  BlockKey(std::uint64_t mask, unsigned most_bits);
  std::uint64_t operator()(std::uint64_t hash) const { return (hash & mask_) * multiplier_ >> shift_; }
  unsigned bits() const { return bits_; }

 private:
  std::uint64_t mask_;
  std::uint64_t multiplier_;
  unsigned shift_;
  unsigned bits_;
};

// Throws Error(invalid_argument), naming both, where blocks or distance are out of range, or where there would be
// more than kMaxTables ways to choose blocks - distance of the blocks. 0 blocks stand for a number that will be chosen.
void check_blocks(unsigned blocks, unsigned distance);
inline constexpr std::uint64_t kMaxTables = 50000;

}  // namespace refrain::matching
