// The Hamming join over fingerprints in device memory: every pair that differs in at most `distance` bits
// (engines/matching/hamming_join.h).
//
// The bits are cut into blocks. For every choice of blocks - distance of them, the fingerprints are put into an order of
// bits in which the chosen blocks come first, sorted by those, and each is compared with what follows it in its run. A pair
// is found once: by the choice of the first blocks in which it agrees. Runs that are very long, as in a skewed set, are
// handed to the caller.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace refrain::cuda {

// Device memory for `count` fingerprints: the two buffers that they are sorted between, what the sort needs, and the pairs.
struct JoinRoom {
  std::uint64_t* front;
  std::uint64_t* back;
  void* sort;
  std::size_t sort_bytes;
  std::uint64_t* tables;  // kJoinTables
  std::uint64_t* pairs;   // 2 * most_pairs
  std::uint64_t most_pairs;
  std::uint64_t* found;  // one
  std::uint64_t* runs;   // join_runs(count)
};
inline constexpr std::uint64_t kMostRun = std::uint64_t{1} << 16;
inline std::size_t join_runs(std::uint64_t count, std::uint64_t most_run = kMostRun) {
  return 2 * (count / most_run + 1);
}
inline constexpr std::size_t kJoinTables = 8 * 256;
std::size_t join_sort_bytes(std::uint64_t count);

// Called with pairs end to end.
using TakePairs = std::function<void(std::span<const std::uint64_t> pairs)>;

// Called with a run of more than `most_run`: of its pairs, those that differ in every one of the masks are to be found.
using TakeRun = std::function<void(std::span<const std::uint64_t> run, std::span<const std::uint64_t> passed)>;

// `hashes` are distinct, in device memory. `masks` are the blocks, more than `distance` of them.
cudaError_t hamming_join(const std::uint64_t* hashes, std::uint64_t count, std::span<const std::uint64_t> masks,
                         unsigned distance, const JoinRoom& room, cudaStream_t stream, const TakePairs& take,
                         const TakeRun& take_run, std::uint64_t most_run = kMostRun);

}  // namespace refrain::cuda
