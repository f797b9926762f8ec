// The sizes that a shuffle works with, settled before its first record.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/budget.h"
#include "store/shuffle_spill.h"

namespace refrain::store {

struct ShuffleOptions;

struct ShufflePlan {
  unsigned partition_bits;
  std::size_t block_records;  // a writer fills blocks of one partition each,
  std::size_t slab_blocks;    // and takes memory for so many of them at once

  // Where the shuffle may spill; else 0.
  std::uint64_t memory_bytes = 0;  // what it may hold in all
  std::uint64_t writer_bytes = 0;  // blocks that every writer may hold, whatever the others do,
  std::uint64_t common_bytes = 0;  // and what is there for whoever comes first
  FrameFormat frames{};
};

// Throws nothing: where memory is less than makes sense, the plan is for what does (kLeastWorkerBytes a thread).
ShufflePlan plan_shuffle(const ShuffleOptions& options, std::size_t record_bytes, const MemoryBudget& budget);

inline constexpr std::uint64_t kLeastWorkerBytes = std::uint64_t{512} << 10;

}  // namespace refrain::store
