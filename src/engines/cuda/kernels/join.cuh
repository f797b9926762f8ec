// The Hamming join: every pair of fingerprints that differs in at most `distance` bits (engines/matching/hamming_join.h).
//
// The bits are cut into blocks. For every choice of blocks - distance of them, the fingerprints are put into an order of
// bits in which the chosen blocks come first, sorted by those, and each is compared with what follows it in its run. A pair
// is found once: by the choice of the first blocks in which it agrees. Runs that are very long, as in a skewed set, are
// handed to the taker.
//
// A set that device memory has no room for stays on the host. For every choice it is cut into parts (parts.h), and passes
// through the device once a part, which keeps what belongs to the part.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engines/cuda/device.h"
#include "engines/cuda/kernels/memory.cuh"

namespace refrain::cuda {

inline constexpr std::uint64_t kMostRun = std::uint64_t{1} << 16;

// How many a join holds in device memory at a time.
struct JoinSizes {
  std::uint64_t sorted = 0;  // fingerprints; all of them, if they stay there
  std::uint64_t piece = 0;   // fingerprints that are sent at a time; 0: they stay there
  std::uint64_t pairs = 0;   // that are handed over at a time; at least most_run
};
// For `count` fingerprints; none if the memory is too little for any part worth having.
std::optional<JoinSizes> join_sizes(std::uint64_t count, const JoinMemory& memory);
std::uint64_t join_bytes(const JoinSizes& sizes);  // of the device

// The memory of a join.
class JoinRoom {
 public:
  JoinRoom(const JoinSizes& sizes, const Asker& ask, std::uint64_t most_run = kMostRun);

  const DeviceMemory<std::uint64_t> front, back;  // that are sorted between
  const DeviceMemory<std::uint8_t> sort;
  const DeviceMemory<std::uint64_t> tables, pairs, found, runs;
  const std::uint64_t most_pairs, most_run;
};

// `hashes` are distinct, in device memory, no more than the room is for. `masks` are the blocks, more than `distance` of
// them.
cudaError_t hamming_join(const std::uint64_t* hashes, std::uint64_t count, std::span<const std::uint64_t> masks,
                         unsigned distance, const JoinRoom& room, const JoinTaker& take);

// The same for fingerprints in host memory, whether they fit or not. False, and nothing taken, where so many have the same
// key that a part would not fit.
bool join_from_host(std::span<const std::uint64_t> hashes, std::span<const std::uint64_t> masks, unsigned distance,
                    const JoinSizes& sizes, const Asker& ask, const JoinTaker& take, std::uint64_t most_run = kMostRun);

}  // namespace refrain::cuda
