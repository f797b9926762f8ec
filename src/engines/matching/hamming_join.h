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
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/budget.h"
#include "refrain/context.h"

namespace refrain::matching {

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
