// The Hamming join: finds every pair of fingerprints that differ in at most `distance` bits
// (engines/matching/hamming.h).
//
// The bits are cut into blocks. For every choice of all but `distance` blocks, the bits of the fingerprints are
// reordered so that the chosen blocks lead, the fingerprints are sorted by those, and each is compared with those
// that follow it in its run of equal keys. A pair is emitted once: by the choice of the first blocks in which it
// agrees. Very long runs, as in a skewed set, are handed to the caller.
//
// A set that does not fit into device memory stays on the host. For every choice it is cut into parts (parts.h), and
// the whole set passes through the device once per part, which keeps only what belongs to the part.
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

// The numbers of elements that a join holds in device memory at a time.
struct JoinSizes {
  std::uint64_t sorted = 0;  // fingerprints; if the set stays there, all of them
  std::uint64_t piece = 0;   // fingerprints that are sent at a time; 0: the set stays there
  std::uint64_t pairs = 0;   // pairs that are handed over at a time; at least most_run
};
// The sizes for `count` fingerprints; empty if the memory is too small for parts of a useful size.
std::optional<JoinSizes> join_sizes(std::uint64_t count, const JoinMemory& memory);
std::uint64_t join_bytes(const JoinSizes& sizes);  // of device memory

// The buffers of a join.
class JoinBuffers {
 public:
  JoinBuffers(const JoinSizes& sizes, const CudaCheck& check_cuda, std::uint64_t most_run = kMostRun);

  const DeviceMemory<std::uint64_t> front, back;  // sorting alternates between these
  const DeviceMemory<std::uint8_t> sort;
  const DeviceMemory<std::uint64_t> tables, pairs, found, runs;
  const std::uint64_t most_pairs, most_run;
};

// `hashes` must be distinct, in device memory, and no more than the buffers hold. `masks` are the blocks, of which
// there must be more than `distance`.
cudaError_t hamming_join(const std::uint64_t* hashes, std::uint64_t count, std::span<const std::uint64_t> masks,
                         unsigned distance, const JoinBuffers& room, const JoinReceiver& take);

// Does the same for fingerprints in host memory, whether they fit into the device or not. Returns false without
// having found pairs if so many fingerprints have the same key that a part would not fit.
bool join_from_host(std::span<const std::uint64_t> hashes, std::span<const std::uint64_t> masks, unsigned distance,
                    const JoinSizes& sizes, const CudaCheck& check_cuda, const JoinReceiver& take,
                    std::uint64_t most_run = kMostRun);

}  // namespace refrain::cuda
