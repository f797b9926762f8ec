// The sizes that a shuffle works with, fixed before its first record.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/budget.h"
#include "store/shuffle_spill.h"

namespace refrain::store {

struct ShuffleOptions;

struct ShufflePlan {
  unsigned partition_bits;
  std::size_t block_records;  // records in a block, which one writer fills with records of one partition
  std::size_t slab_blocks;    // blocks for which a writer takes memory at once

  // If the shuffle may spill; else 0.
  std::uint64_t memory_bytes = 0;  // the memory that it may hold in total
  std::uint64_t writer_bytes = 0;  // for the blocks of each writer, independent of the others,
  std::uint64_t shared_bytes = 0;  // and for the blocks of any writer, first come, first served
  FrameFormat frames{};
};

// Does not throw: if there is less memory than the minimum (kMinWorkerBytes per thread), the plan is for the
// minimum.
ShufflePlan plan_shuffle(const ShuffleOptions& options, std::size_t record_bytes, const MemoryBudget& budget);

inline constexpr std::uint64_t kMinWorkerBytes = std::uint64_t{512} << 10;

}  // namespace refrain::store
