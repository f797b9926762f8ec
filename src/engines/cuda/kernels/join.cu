#include "engines/cuda/kernels/join.cuh"

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <numeric>
#include <utility>
#include <vector>

namespace refrain::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kMostBlocks = 64;

// An order of bits: bit order[i] of a fingerprint comes to place i.
struct BitOrder {
  std::vector<unsigned> order;

  // What byte b with value v becomes: entry 256 b + v.
  std::vector<std::uint64_t> tables() const {
    std::vector<std::uint64_t> made(kJoinTables);
    for (std::size_t i = 0; i < 64; ++i)
      for (std::size_t value = 0; value < 256; ++value)
        if ((value >> order[i] % 8 & 1U) != 0) made[256 * (order[i] / 8) + value] |= std::uint64_t{1} << i;
    return made;
  }
  std::uint64_t restore(std::uint64_t moved) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < 64; ++i) hash |= (moved >> i & 1U) << order[i];
    return hash;
  }
  std::uint64_t apply(std::uint64_t mask) const {
    std::uint64_t moved = 0;
    for (std::size_t i = 0; i < 64; ++i) moved |= (mask >> order[i] & 1U) << i;
    return moved;
  }
};

BitOrder with_last(std::uint64_t chosen) {
  BitOrder made;
  for (unsigned bit = 0; bit < 64; ++bit)
    if ((chosen >> bit & 1U) == 0) made.order.push_back(bit);
  for (unsigned bit = 0; bit < 64; ++bit)
    if ((chosen >> bit & 1U) != 0) made.order.push_back(bit);
  return made;
}

__global__ void move_bits(const std::uint64_t* __restrict__ from, std::uint64_t count,
                          const std::uint64_t* __restrict__ tables, std::uint64_t* __restrict__ to) {
  __shared__ std::uint64_t table[kJoinTables];
  for (unsigned i = threadIdx.x; i < kJoinTables; i += blockDim.x) table[i] = tables[i];
  __syncthreads();
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    const std::uint64_t hash = from[i];
    std::uint64_t moved = 0;
#pragma unroll
    for (unsigned b = 0; b < 8; ++b) moved |= table[256 * b + (hash >> 8 * b & 255U)];
    to[i] = moved;
  }
}

// A pair must differ in these blocks: else an earlier choice has found it.
struct Passed {
  std::uint64_t masks[kMostBlocks];
  unsigned count;
};

// The runs of more than `most`: where each begins and ends, in any order.
__global__ void find_long_runs(const std::uint64_t* __restrict__ hashes, std::uint64_t count, unsigned key_shift,
                               std::uint64_t most, std::uint64_t* runs, std::uint64_t* found) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i + most >= count) return;
  const std::uint64_t key = hashes[i] >> key_shift;
  if (hashes[i + most] >> key_shift != key || (i != 0 && hashes[i - 1] >> key_shift == key)) return;
  std::uint64_t inside = i + most;
  std::uint64_t outside = count;
  while (outside - inside > 1) {
    const std::uint64_t middle = inside + (outside - inside) / 2;
    if (hashes[middle] >> key_shift == key)
      inside = middle;
    else
      outside = middle;
  }
  const std::uint64_t place = atomicAdd(reinterpret_cast<unsigned long long*>(found), 1ULL);
  runs[2 * place] = i;
  runs[2 * place + 1] = outside;
}

// Of `long_runs` runs in ascending order, whether one holds i.
__device__ bool in_long_run(const std::uint64_t* runs, std::uint64_t long_runs, std::uint64_t i) {
  std::uint64_t before = 0;  // runs that end at i or before
  std::uint64_t after = long_runs;
  while (before < after) {
    const std::uint64_t middle = (before + after) / 2;
    if (runs[2 * middle + 1] <= i)
      before = middle + 1;
    else
      after = middle;
  }
  return before < long_runs && runs[2 * before] <= i;
}

__global__ void compare_runs(const std::uint64_t* __restrict__ hashes, std::uint64_t first, std::uint64_t last,
                             std::uint64_t count, unsigned key_shift, unsigned distance, Passed passed,
                             const std::uint64_t* runs, std::uint64_t long_runs, std::uint64_t* pairs,
                             std::uint64_t most_pairs, std::uint64_t* found) {
  const std::uint64_t i = first + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= last || (long_runs != 0 && in_long_run(runs, long_runs, i))) return;
  const std::uint64_t hash = hashes[i];
  for (std::uint64_t j = i + 1; j < count; ++j) {
    const std::uint64_t difference = hash ^ hashes[j];
    if (difference >> key_shift != 0) break;
    if (static_cast<unsigned>(__popcll(difference)) > distance) continue;
    bool seen = false;
    for (unsigned p = 0; p < passed.count; ++p) seen = seen || (difference & passed.masks[p]) == 0;
    if (seen) continue;
    const std::uint64_t place = atomicAdd(reinterpret_cast<unsigned long long*>(found), 1ULL);
    if (place >= most_pairs) continue;
    pairs[2 * place] = hash;
    pairs[2 * place + 1] = hash ^ difference;
  }
}

// One choice of blocks.
struct Choice {
  BitOrder order;
  unsigned key_shift = 0;  // bits that are not chosen
  Passed passed{};
  std::vector<std::uint64_t> passed_masks = {};  // as they were before bits were moved
};

unsigned blocks_for(std::uint64_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

class Joiner {
 public:
  Joiner(std::uint64_t count, unsigned distance, const JoinRoom& room, cudaStream_t stream, const TakePairs& take,
         const TakeRun& take_run, std::uint64_t most_run)
      : count_(count),
        distance_(distance),
        room_(room),
        stream_(stream),
        take_(take),
        take_run_(take_run),
        most_run_(most_run) {}

  cudaError_t run(const std::uint64_t* hashes, const Choice& choice) {
    const std::vector<std::uint64_t> tables = choice.order.tables();
    cudaMemcpyAsync(room_.tables, tables.data(), kJoinTables * sizeof tables[0], cudaMemcpyHostToDevice, stream_);
    move_bits<<<2048, kThreads, 0, stream_>>>(hashes, count_, room_.tables, room_.front);
    cub::DoubleBuffer<std::uint64_t> keys(room_.front, room_.back);
    std::size_t sort_bytes = room_.sort_bytes;
    cub::DeviceRadixSort::SortKeys(room_.sort, sort_bytes, keys, count_, static_cast<int>(choice.key_shift), 64,
                                   stream_);
    sorted_ = keys.Current();
    if (const cudaError_t error = hand_over_long_runs(choice); error != cudaSuccess) return error;
    return compare(choice, 0, count_);
  }

 private:
  cudaError_t hand_over_long_runs(const Choice& choice) {
    cudaMemsetAsync(room_.found, 0, sizeof *room_.found, stream_);
    find_long_runs<<<blocks_for(count_), kThreads, 0, stream_>>>(sorted_, count_, choice.key_shift, most_run_,
                                                                 room_.runs, room_.found);
    if (const cudaError_t error = fetch(room_.found, &long_runs_, 1); error != cudaSuccess || long_runs_ == 0)
      return error;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs(long_runs_);
    if (const cudaError_t error = fetch(room_.runs, &runs[0].first, 2 * long_runs_); error != cudaSuccess) return error;
    std::sort(runs.begin(), runs.end());
    cudaMemcpyAsync(room_.runs, runs.data(), runs.size() * sizeof runs[0], cudaMemcpyHostToDevice, stream_);
    std::vector<std::uint64_t> run;
    for (const auto& [begin, end] : runs) {
      run.resize(end - begin);
      if (const cudaError_t error = fetch(sorted_ + begin, run.data(), run.size()); error != cudaSuccess) return error;
      for (std::uint64_t& hash : run) hash = choice.order.restore(hash);
      take_run_(run, choice.passed_masks);
    }
    return cudaSuccess;
  }

  // All pairs of the runs that begin in [first, last). Where they are more than there is room for, a half at a time.
  cudaError_t compare(const Choice& choice, std::uint64_t first, std::uint64_t last) {
    cudaMemsetAsync(room_.found, 0, sizeof *room_.found, stream_);
    compare_runs<<<blocks_for(last - first), kThreads, 0, stream_>>>(sorted_, first, last, count_, choice.key_shift,
                                                                     distance_, choice.passed, room_.runs, long_runs_,
                                                                     room_.pairs, room_.most_pairs, room_.found);
    std::uint64_t found = 0;
    if (const cudaError_t error = fetch(room_.found, &found, 1); error != cudaSuccess || found == 0) return error;
    if (found > room_.most_pairs && last - first > 1) {
      const std::uint64_t middle = first + (last - first) / 2;
      const cudaError_t error = compare(choice, first, middle);
      return error != cudaSuccess ? error : compare(choice, middle, last);
    }
    std::vector<std::uint64_t> pairs(2 * found);
    if (const cudaError_t error = fetch(room_.pairs, pairs.data(), pairs.size()); error != cudaSuccess) return error;
    for (std::uint64_t& hash : pairs) hash = choice.order.restore(hash);
    take_(pairs);
    return cudaSuccess;
  }

  cudaError_t fetch(const std::uint64_t* from, std::uint64_t* to, std::size_t count) const {
    cudaMemcpyAsync(to, from, count * sizeof *to, cudaMemcpyDeviceToHost, stream_);
    return cudaStreamSynchronize(stream_);
  }

  const std::uint64_t count_;
  const unsigned distance_;
  const JoinRoom& room_;
  const cudaStream_t stream_;
  const TakePairs& take_;
  const TakeRun& take_run_;
  const std::uint64_t most_run_;
  const std::uint64_t* sorted_ = nullptr;
  std::uint64_t long_runs_ = 0;
};

Choice make_choice(std::span<const std::uint64_t> masks, const std::vector<std::size_t>& chosen) {
  std::uint64_t key = 0;
  for (const std::size_t block : chosen) key |= masks[block];
  Choice choice{.order = with_last(key), .key_shift = static_cast<unsigned>(64 - std::popcount(key))};
  for (std::size_t block = 0, next = 0; block < chosen.back(); ++block) {
    if (block == chosen[next]) {
      ++next;
    } else {
      choice.passed.masks[choice.passed.count++] = choice.order.apply(masks[block]);
      choice.passed_masks.push_back(masks[block]);
    }
  }
  return choice;
}

// To the next choice, in order; false after the last.
bool advance(std::vector<std::size_t>& chosen, std::size_t blocks) {
  std::size_t i = chosen.size();
  while (i > 0 && chosen[i - 1] == blocks - chosen.size() + i - 1) --i;
  if (i == 0) return false;
  ++chosen[i - 1];
  for (; i < chosen.size(); ++i) chosen[i] = chosen[i - 1] + 1;
  return true;
}

}  // namespace

std::size_t join_sort_bytes(std::uint64_t count) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<std::uint64_t> keys(nullptr, nullptr);
  cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, count, 0, 64);
  return bytes;
}

cudaError_t hamming_join(const std::uint64_t* hashes, std::uint64_t count, std::span<const std::uint64_t> masks,
                         unsigned distance, const JoinRoom& room, cudaStream_t stream, const TakePairs& take,
                         const TakeRun& take_run, std::uint64_t most_run) {
  if (count < 2) return cudaSuccess;
  Joiner joiner(count, distance, room, stream, take, take_run, most_run);
  std::vector<std::size_t> chosen(masks.size() - distance);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  cudaError_t error = cudaSuccess;
  do {
    error = joiner.run(hashes, make_choice(masks, chosen));
  } while (error == cudaSuccess && advance(chosen, masks.size()));
  return error;
}

}  // namespace refrain::cuda
