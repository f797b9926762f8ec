#include "store/shuffle_plan.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "store/shuffle.h"

namespace refrain::store {

namespace {

constexpr std::size_t kBlockBytes = 4096;
constexpr std::size_t kMaxBlockPages = 16;
constexpr unsigned kMaxPartitionBits = 11;  // in memory; every open block has a cost
constexpr unsigned kMaxSpilledPartitionBits = 13;
constexpr unsigned kUnknownBits = 8;                           // if the number of records is not known
constexpr std::size_t kMinFrameBytes = std::size_t{16} << 10;  // with smaller frames, a disk spends most of its time
                                                               // seeking
constexpr std::size_t kMaxFrameBytes = std::size_t{64} << 10;
constexpr std::uint64_t kArrayStep = std::uint64_t{64} << 10;     // a large Array rounds up to multiples of this
constexpr std::uint64_t kCompressBytes = std::uint64_t{4} << 20;  // per worker: with less, zstd's own tables would
                                                                  // matter

unsigned bits_for(std::uint64_t partitions) {
  return static_cast<unsigned>(std::bit_width(partitions));
}

}  // namespace

ShufflePlan plan_shuffle(const ShuffleOptions& options, std::size_t record_bytes, const MemoryBudget& budget) {
  ShufflePlan plan{};
  plan.block_records = std::max<std::size_t>(kBlockBytes / record_bytes, 16);
  plan.slab_blocks = 64;
  const unsigned cached = bits_for(options.expected_records / options.partition_records);
  plan.partition_bits = std::min({cached, kMaxPartitionBits, options.key_bits});
  if (options.temp == nullptr) return plan;

  const std::uint64_t threads = std::max(budget.threads(), 1U);
  const std::uint64_t wanted =
      options.memory_bytes != 0 ? options.memory_bytes : budget.available() - budget.available() / 8;
  plan.memory_bytes = std::max(wanted, threads * kMinWorkerBytes);
  const std::uint64_t worker = plan.memory_bytes / threads;
  plan.frames.record_bytes = record_bytes;
  plan.frames.frame_bytes =
      std::clamp<std::size_t>(worker / 32, record_bytes, kMaxFrameBytes) / record_bytes * record_bytes;
  plan.frames.compress = options.compress && worker >= kCompressBytes;

  // Writing takes blocks, memory for spilling them and a list of where they went; grouping in memory takes some
  // partitions.
  const std::uint64_t data = static_cast<std::uint64_t>(options.expected_records) * record_bytes;
  const std::uint64_t spilling = threads * (FrameWriter::room_bytes(plan.frames) + 2 * kArrayStep);
  const std::uint64_t reading =
      std::clamp(2 * threads * (data >> plan.partition_bits), plan.memory_bytes / 16, plan.memory_bytes / 4);
  const std::uint64_t blocks = plan.memory_bytes - std::min(spilling + reading, plan.memory_bytes * 3 / 4);
  plan.writer_bytes = blocks / 2 / threads;
  plan.shared_bytes = threads == 1 ? blocks - plan.writer_bytes : blocks / 2;
  if (plan.writer_bytes < 8 * 64 * kBlockBytes) plan.slab_blocks = 16;

  // A partition should fit in a worker's share of the memory when it is read. It is there twice, and the estimate may
  // be too low. And the part of it that a writer spills at once should be a frame that is worth a seek.
  const unsigned needed = bits_for(data * 3 / worker);
  const std::size_t least_frame = std::max(kMinFrameBytes, 4 * plan.block_records * record_bytes);
  const unsigned most = bits_for(std::max<std::uint64_t>(blocks / threads / least_frame, 1)) - 1;
  const unsigned good = options.expected_records == 0 ? kUnknownBits : std::max(cached, needed);
  const bool fits = data <= blocks && options.expected_records != 0;
  plan.partition_bits = std::min({good, most, fits ? kMaxPartitionBits : kMaxSpilledPartitionBits, options.key_bits});
  // Blocks of whole pages can be given back one by one (drain); the fewer they are, the better. They are enlarged as
  // long as that costs little memory: open blocks are half empty.
  const std::size_t in_pages = kBlockBytes / std::gcd(record_bytes, kBlockBytes);
  const std::size_t open_pages = threads * in_pages * record_bytes << plan.partition_bits;
  for (std::size_t pages = 1; fits && pages <= kMaxBlockPages && pages * open_pages < plan.memory_bytes / 32;
       pages *= 2)
    plan.block_records = pages * in_pages;
  return plan;
}

}  // namespace refrain::store
