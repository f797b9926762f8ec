#include "store/shuffle_plan.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "store/shuffle.h"

namespace refrain::store {

namespace {

constexpr std::size_t kBlockBytes = 4096;
constexpr std::size_t kMostBlockPages = 16;
constexpr unsigned kMostBits = 11;  // in memory: blocks that are open at once cost
constexpr unsigned kMostSpilledBits = 13;
constexpr unsigned kUnknownBits = 8;                             // where nobody has a guess
constexpr std::size_t kLeastFrameBytes = std::size_t{16} << 10;  // below, a disk reads mostly elsewhere
constexpr std::size_t kMostFrameBytes = std::size_t{64} << 10;
constexpr std::uint64_t kArrayStep = std::uint64_t{64} << 10;     // a large Array rounds up to these
constexpr std::uint64_t kCompressBytes = std::uint64_t{4} << 20;  // a worker: with less zstd's own tables would show

unsigned bits_for(std::uint64_t partitions) {
  return static_cast<unsigned>(std::bit_width(partitions));
}

}  // namespace

ShufflePlan plan_shuffle(const ShuffleOptions& options, std::size_t record_bytes, const MemoryBudget& budget) {
  ShufflePlan plan{};
  plan.block_records = std::max<std::size_t>(kBlockBytes / record_bytes, 16);
  plan.slab_blocks = 64;
  const unsigned cached = bits_for(options.expected_records / options.partition_records);
  plan.partition_bits = std::min({cached, kMostBits, options.key_bits});
  if (options.temp == nullptr) return plan;

  const std::uint64_t threads = std::max(budget.threads(), 1U);
  const std::uint64_t wanted =
      options.memory_bytes != 0 ? options.memory_bytes : budget.available() - budget.available() / 8;
  plan.memory_bytes = std::max(wanted, threads * kLeastWorkerBytes);
  const std::uint64_t worker = plan.memory_bytes / threads;
  plan.frames.record_bytes = record_bytes;
  plan.frames.frame_bytes =
      std::clamp<std::size_t>(worker / 32, record_bytes, kMostFrameBytes) / record_bytes * record_bytes;
  plan.frames.compress = options.compress && worker >= kCompressBytes;

  // Writing takes blocks, room for spilling them and a list of where they went; grouping in memory some partitions.
  const std::uint64_t data = static_cast<std::uint64_t>(options.expected_records) * record_bytes;
  const std::uint64_t spilling = threads * (FrameWriter::room_bytes(plan.frames) + 2 * kArrayStep);
  const std::uint64_t reading =
      std::clamp(2 * threads * (data >> plan.partition_bits), plan.memory_bytes / 16, plan.memory_bytes / 4);
  const std::uint64_t blocks = plan.memory_bytes - std::min(spilling + reading, plan.memory_bytes * 3 / 4);
  plan.writer_bytes = blocks / 2 / threads;
  plan.common_bytes = threads == 1 ? blocks - plan.writer_bytes : blocks / 2;
  if (plan.writer_bytes < 8 * 64 * kBlockBytes) plan.slab_blocks = 16;

  // A partition should be read inside a worker's share, where it stands twice, with room for a guess that was low; and
  // what a writer spills of it at once should be a frame that is worth a seek.
  const unsigned needed = bits_for(data * 3 / worker);
  const std::size_t least_frame = std::max(kLeastFrameBytes, 4 * plan.block_records * record_bytes);
  const unsigned most = bits_for(std::max<std::uint64_t>(blocks / threads / least_frame, 1)) - 1;
  const unsigned good = options.expected_records == 0 ? kUnknownBits : std::max(cached, needed);
  const bool fits = data <= blocks && options.expected_records != 0;
  plan.partition_bits = std::min({good, most, fits ? kMostBits : kMostSpilledBits, options.key_bits});
  // Blocks of whole pages can be given back one by one (drain), the fewer the better. Where that costs little: those
  // that are open are half empty.
  const std::size_t in_pages = kBlockBytes / std::gcd(record_bytes, kBlockBytes);
  const std::size_t open_pages = threads * in_pages * record_bytes << plan.partition_bits;
  for (std::size_t pages = 1; fits && pages <= kMostBlockPages && pages * open_pages < plan.memory_bytes / 32;
       pages *= 2)
    plan.block_records = pages * in_pages;
  return plan;
}

}  // namespace refrain::store
