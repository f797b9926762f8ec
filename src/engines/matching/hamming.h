// Finds fingerprints that differ in few bits: how their bits are cut into blocks, and the index and the join that use
// the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/context.h"
#include "refrain/hamming.h"

namespace refrain::matching {

// Blocks: the bits of a fingerprint, cut into groups so that similar fingerprints are equal in some of them.
//
// Two fingerprints that differ in at most d bits agree in at least m - d of any m disjoint blocks. The choice of
// bits for a block affects only the time. So blocks are cut by the information in the data: bits that hardly vary in
// the given set are worth little, and each block gets an equal share of the information. This keeps skewed sets (in
// which half of the bits may be constant) from ending up in a few enormous groups.

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

// SIMD kernels for comparing fingerprints: they find those that differ in at most a given number of bits.

// Called for every hit, with its index j in the list, and the index i of the other member if it is from the same
// list.
using HitFn = void (*)(void* context, std::size_t i, std::size_t j);

// Finds every j with popcount(query ^ list[j]) <= distance, ascending; i is 0.
void find_within(std::uint64_t query, std::span<const std::uint64_t> list, unsigned distance, HitFn hit, void* context);

// Finds every i < j of the same group with popcount(list[i] ^ list[j]) <= distance. Group g ends at ends[g] and
// begins where the previous one ends. Groups of more than `largest` members are skipped.
void find_pairs_within(std::span<const std::uint64_t> list, std::span<const std::uint32_t> ends, std::size_t largest,
                       unsigned distance, HitFn hit, void* context);

// The Hamming index: known fingerprints in tables that are built once and queried often.
//
// A query within d bits of a stored fingerprint agrees with it in at least one of d + 1 blocks. Each block has a
// table: the fingerprints ordered by that block, and where each of its values begins. A query reads one short list
// per table. Equal fingerprints share one node. Added fingerprints first go into a list that every query scans; when
// the list is full, it becomes a set of tables of its own, which absorbs preceding sets that are not much larger. So
// there are never more than a few sets.
//
// find() and best() may be called by many threads at once; add() needs exclusive access.
class HammingIndex {
 public:
  using Match = FingerprintIndex::Match;
  using Best = FingerprintIndex::Best;
  struct Entry {
    std::uint64_t hash;
    std::uint64_t index;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  HammingIndex(std::span<const std::uint64_t> stored, unsigned distance, unsigned threads, MemoryBudget& budget);
  ~HammingIndex();

  // As in FingerprintIndex.
  void find(std::uint64_t query, std::vector<Match>& out) const;
  Best best(std::uint64_t query) const;
  void add(std::uint64_t fingerprint);
  std::size_t size() const { return in_sets_ + pending_.size(); }
  unsigned distance() const { return distance_; }

 private:
  class TableSet;
  template <class Hit>
  void find_nodes(std::uint64_t query, Hit hit) const;
  void build(Array<Entry> entries);

  MemoryBudget& budget_;
  unsigned distance_;
  unsigned threads_;
  std::vector<std::unique_ptr<TableSet>> sets_;
  std::size_t in_sets_;
  std::vector<std::uint64_t> pending_;
};

// The Hamming join: finds every pair of 64-bit fingerprints that differ in at most `distance` bits.
//
// The bits are cut into m blocks. A pair within d bits agrees in at least m - d of them, so the set is grouped by
// the first chosen block, each group by the next, and so on until m - d blocks are chosen: a tree with a path for
// every choice. A group that has become small is immediately compared pair by pair, at any level of the tree. A
// group that is still large at the end of its path (in a skewed set) is cut into new blocks of its own, made of the
// bits that vary inside it, and the search continues. If even that does not help, the group is compared pair by pair
// too, so no set costs much more than brute force.
//
// A pair is emitted once: on the path that takes, at every fork, the first block in which the pair agrees.
//
// The first fork groups the whole set, through the shuffle; everything below it stays in the cache.

struct JoinOptions {
  unsigned distance = 3;
  unsigned blocks = 0;                 // 0: automatic. Affects only the time; at most distance + 4 are used.
  std::size_t run_records = SIZE_MAX;  // the run size of the shuffle; for tests
};

// Called by many workers at once, in any order; a < b.
using EmitPair = std::function<void(unsigned worker, std::uint64_t a, std::uint64_t b)>;

// `hashes` must be distinct. Throws Error(invalid_argument) if the blocks or the distance are invalid.
void hamming_join(std::span<const std::uint64_t> hashes, const JoinOptions& options, const Context& context,
                  MemoryBudget& budget, const EmitPair& emit);

}  // namespace refrain::matching
