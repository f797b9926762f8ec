// Blocks: the bits of a fingerprint, cut into groups so that similar fingerprints are equal in some of them.
//
// Two fingerprints that differ in at most d bits agree in at least m - d of any m disjoint blocks. The choice of
// bits for a block affects only the time. So blocks are cut by the information in the data: bits that hardly vary in
// the given set are worth little, and each block gets an equal share of the information. This keeps skewed sets (in
// which half of the bits may be constant) from ending up in a few enormous groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace refrain::matching {

struct Block {
  std::uint64_t mask = 0;
  // The expected share of pairs that are equal in the block, if bits were independent.
  double collisions = 1;
};

// Returns `count` disjoint blocks for this set, or fewer if fewer bits vary in it. Looks only at a sample of a large
// set.
std::vector<Block> balanced_blocks(std::span<const std::uint64_t> set, unsigned count);

// Returns the blocks for which a join is fastest that sorts the whole set by every choice of (blocks - distance)
// blocks, as the one on a GPU does. Empty if every cut leaves so many pairs to compare that such a join does not
// pay.
std::vector<std::uint64_t> sorting_blocks(std::span<const std::uint64_t> set, unsigned distance);

// Maps the masked bits of a fingerprint to a number of bits() bits. Equal masked bits give equal numbers; if the
// mask is one run of at most `most_bits` bits, different ones give different numbers.
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

// Throws Error(invalid_argument), which names both values, if blocks or distance are out of range or there would be
// more than kMaxTables ways to choose (blocks - distance) of the blocks. 0 blocks means that their number will be
// chosen.
void check_blocks(unsigned blocks, unsigned distance);
inline constexpr std::uint64_t kMaxTables = 50000;

}  // namespace refrain::matching
