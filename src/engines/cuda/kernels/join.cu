#include "engines/cuda/kernels/join.cuh"

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <utility>
#include <vector>

#include "engines/cuda/kernels/choices.h"
#include "engines/cuda/kernels/parts.h"

namespace refrain::cuda {

namespace {

constexpr unsigned kThreads = 256;

// Moves the bits of a hash as the tables say.
__device__ __forceinline__ std::uint64_t permute_bits(const std::uint64_t* table, std::uint64_t hash) {
  std::uint64_t made = 0;
#pragma unroll
  for (unsigned b = 0; b < 8; ++b) made |= table[256 * b + (hash >> 8 * b & 255U)];
  return made;
}

__device__ __forceinline__ void load_tables(std::uint64_t* table, const std::uint64_t* __restrict__ tables) {
  for (unsigned i = threadIdx.x; i < kTables; i += blockDim.x) table[i] = tables[i];
  __syncthreads();
}

__global__ void move_bits(const std::uint64_t* __restrict__ from, std::uint64_t count,
                          const std::uint64_t* __restrict__ tables, std::uint64_t* __restrict__ to) {
  __shared__ std::uint64_t table[kTables];
  load_tables(table, tables);
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    to[i] = permute_bits(table, from[i]);
}

// Moves the bits of those fingerprints that belong to a part, and appends them, in any order, to the `kept` ones.
__global__ void keep_part(const std::uint64_t* __restrict__ from, std::uint64_t count,
                          const std::uint64_t* __restrict__ tables, std::uint64_t key, JoinPart part,
                          std::uint64_t* __restrict__ to, std::uint64_t* kept) {
  __shared__ std::uint64_t table[kTables];
  load_tables(table, tables);
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::uint64_t i = first; i - lane < count; i += step) {
    const std::uint64_t hash = i < count ? from[i] : 0;
    const unsigned bucket = bucket_of(hash & key);
    const bool keep = i < count && bucket >= part.first && bucket < part.last;
    const unsigned keeping = __ballot_sync(0xFFFFFFFFU, keep);
    if (keeping == 0) continue;
    std::uint64_t place = 0;
    if (lane == 0) place = atomicAdd(reinterpret_cast<unsigned long long*>(kept), __popc(keeping));
    place = __shfl_sync(0xFFFFFFFFU, place, 0);
    if (keep) to[place + __popc(keeping & ((1U << lane) - 1))] = permute_bits(table, hash);
  }
}

__global__ void count_buckets(const std::uint64_t* __restrict__ hashes, std::uint64_t count, std::uint64_t key,
                              std::uint64_t* counts) {
  __shared__ unsigned mine[kBuckets];
  for (unsigned b = threadIdx.x; b < kBuckets; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    atomicAdd(&mine[bucket_of(hashes[i] & key)], 1U);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < kBuckets; b += blockDim.x)
    if (mine[b] != 0) atomicAdd(reinterpret_cast<unsigned long long*>(counts + b), mine[b]);
}

// Finds the runs of more than `most` fingerprints: where each begins and ends, in any order.
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

// Returns whether one of the `long_runs` runs, in ascending order, contains i.
__device__ bool in_long_run(const std::uint64_t* runs, std::uint64_t long_runs, std::uint64_t i) {
  std::uint64_t before = 0;  // number of runs that end at or before i
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
                             const std::uint64_t* runs, std::uint64_t long_runs, const std::uint64_t* back,
                             std::uint64_t* pairs, std::uint64_t most_pairs, std::uint64_t* found) {
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
    pairs[2 * place] = permute_bits(back, hash);
    pairs[2 * place + 1] = permute_bits(back, hash ^ difference);
  }
}

unsigned blocks_for(std::uint64_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}
// For kernels whose blocks have setup work: few blocks, each for many fingerprints.
unsigned few_blocks_for(std::uint64_t count, std::uint64_t most = 2048) {
  return static_cast<unsigned>(std::min<std::uint64_t>(blocks_for(count), most));
}

class Joiner {
 public:
  Joiner(unsigned distance, const JoinBuffers& room, const JoinReceiver& take)
      : distance_(distance), buffers_(room), take_(take) {}

  // Must be called before fingerprints are moved.
  cudaError_t choose(const Choice& choice) const {
    take_.step(0);
    const std::vector<std::uint64_t> tables = choice.order.tables();
    return cudaMemcpy(buffers_.tables.data(), tables.data(), tables.size() * sizeof tables[0], cudaMemcpyHostToDevice);
  }

  // Expects `count` fingerprints, with their bits moved, in room.front.
  cudaError_t run(const Choice& choice, std::uint64_t count) {
    count_ = count;
    if (count < 2) return cudaSuccess;
    take_.step(0);
    cub::DoubleBuffer<std::uint64_t> keys(buffers_.front.data(), buffers_.back.data());
    std::size_t sort_bytes = buffers_.sort.size();
    if (const cudaError_t error = cub::DeviceRadixSort::SortKeys(buffers_.sort.data(), sort_bytes, keys, count_,
                                                                 static_cast<int>(choice.key_shift), 64);
        error != cudaSuccess)
      return error;
    sorted_ = keys.Current();
    spare_ = keys.Alternate();
    if (const cudaError_t error = hand_over_long_runs(choice); error != cudaSuccess) return error;
    return compare(choice, 0, count_);
  }

 private:
  cudaError_t hand_over_long_runs(const Choice& choice) {
    if (const cudaError_t error = reset_found(); error != cudaSuccess) return error;
    find_long_runs<<<blocks_for(count_), kThreads>>>(sorted_, count_, choice.key_shift, buffers_.most_run,
                                                     buffers_.runs.data(), buffers_.found.data());
    if (const cudaError_t error = fetch(buffers_.found.data(), &long_runs_, 1); error != cudaSuccess || long_runs_ == 0)
      return error;
    take_.step(2 * long_runs_ * sizeof(std::uint64_t));
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs(long_runs_);
    if (const cudaError_t error = fetch(buffers_.runs.data(), &runs[0].first, 2 * long_runs_); error != cudaSuccess)
      return error;
    std::sort(runs.begin(), runs.end());
    if (const cudaError_t error =
            cudaMemcpy(buffers_.runs.data(), runs.data(), runs.size() * sizeof runs[0], cudaMemcpyHostToDevice);
        error != cudaSuccess)
      return error;
    std::vector<std::uint64_t> run;
    for (const auto& [begin, end] : runs) {
      take_.step((2 * long_runs_ + std::max<std::uint64_t>(run.capacity(), end - begin)) * sizeof(std::uint64_t));
      run.resize(end - begin);
      move_bits<<<few_blocks_for(run.size()), kThreads>>>(sorted_ + begin, run.size(), inverse_tables(), spare_);
      if (const cudaError_t error = fetch(spare_, run.data(), run.size()); error != cudaSuccess) return error;
      take_.run(run, choice.passed_masks);
    }
    return cudaSuccess;
  }

  // Emits all pairs whose first member is in [first, last). If they exceed the buffer, it does each half separately.
  cudaError_t compare(const Choice& choice, std::uint64_t first, std::uint64_t last) {
    if (const cudaError_t error = reset_found(); error != cudaSuccess) return error;
    compare_runs<<<blocks_for(last - first), kThreads>>>(
        sorted_, first, last, count_, choice.key_shift, distance_, choice.passed, buffers_.runs.data(), long_runs_,
        inverse_tables(), buffers_.pairs.data(), buffers_.most_pairs, buffers_.found.data());
    std::uint64_t found = 0;
    if (const cudaError_t error = fetch(buffers_.found.data(), &found, 1); error != cudaSuccess || found == 0)
      return error;
    if (found > buffers_.most_pairs && last - first > 1) {
      const std::uint64_t middle = first + (last - first) / 2;
      const cudaError_t error = compare(choice, first, middle);
      return error != cudaSuccess ? error : compare(choice, middle, last);
    }
    take_.step(2 * found * sizeof(std::uint64_t));
    std::vector<std::uint64_t> pairs(2 * found);
    if (const cudaError_t error = fetch(buffers_.pairs.data(), pairs.data(), pairs.size()); error != cudaSuccess)
      return error;
    take_.pairs(pairs);
    return cudaSuccess;
  }

  cudaError_t reset_found() const { return cudaMemsetAsync(buffers_.found.data(), 0, sizeof(std::uint64_t)); }

  // Waits for all work that was started before, and fails if any of it failed: this is where a kernel that could not
  // even be started is noticed.
  cudaError_t fetch(const std::uint64_t* from, std::uint64_t* to, std::size_t count) const {
    if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
    return cudaMemcpy(to, from, count * sizeof *to, cudaMemcpyDeviceToHost);
  }

  const std::uint64_t* inverse_tables() const { return buffers_.tables.data() + kTables; }

  const unsigned distance_;
  const JoinBuffers& buffers_;
  const JoinReceiver& take_;
  std::uint64_t count_ = 0;
  const std::uint64_t* sorted_ = nullptr;
  std::uint64_t* spare_ = nullptr;  // of the same size
  std::uint64_t long_runs_ = 0;
};

// Sends fingerprints to the device in pieces. The next piece is copied while the current one is being processed.
class Sender {
 public:
  Sender(std::span<const std::uint64_t> hashes, std::uint64_t piece, const JoinReceiver& take,
         const CudaCheck& check_cuda)
      : Sender(Empty(), hashes, piece, take, check_cuda) {
    check_cuda(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking), "a stream");
    for (cudaEvent_t& event : events_) check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "an event");
    // Copies from pinned memory are several times faster. If memory cannot be pinned, copies are merely slow.
    pinned_ = cudaHostRegister(host(), hashes.size_bytes(), cudaHostRegisterDefault) == cudaSuccess;
    if (!pinned_) cudaGetLastError();
  }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;
  ~Sender() {
    cudaDeviceSynchronize();
    if (pinned_) cudaHostUnregister(host());
    for (const cudaEvent_t event : events_)
      if (event != nullptr) cudaEventDestroy(event);
    if (copies_ != nullptr) cudaStreamDestroy(copies_);
  }

  // Calls work(piece, count), which starts kernels on the piece, for every piece.
  template <class Work>
  cudaError_t each(Work work) const {
    std::size_t turn = 0;
    for (std::size_t next = 0; next < hashes_.size(); turn ^= 1U) {
      const DeviceMemory<std::uint64_t>& piece = pieces_[turn];
      const std::size_t count = std::min(piece.size(), hashes_.size() - next);
      take_.step(0);
      cudaStreamWaitEvent(copies_, worked(turn));
      cudaMemcpyAsync(piece.data(), hashes_.data() + next, count * sizeof(std::uint64_t), cudaMemcpyHostToDevice,
                      copies_);
      cudaEventRecord(copied(turn), copies_);
      cudaStreamWaitEvent(nullptr, copied(turn));
      work(piece.data(), count);
      cudaEventRecord(worked(turn), nullptr);
      if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;  // of any of these calls
      next += count;
    }
    return cudaSuccess;
  }

 private:
  struct Empty {};  // selects the inner constructor: after it, the destructor runs even if the outer one throws
  Sender(Empty /*empty*/, std::span<const std::uint64_t> hashes, std::uint64_t piece, const JoinReceiver& take,
         const CudaCheck& check_cuda)
      : hashes_(hashes), take_(take), pieces_{{piece, check_cuda}, {piece, check_cuda}} {}
  void* host() const { return const_cast<std::uint64_t*>(hashes_.data()); }
  cudaEvent_t copied(std::size_t turn) const { return events_[turn]; }
  cudaEvent_t worked(std::size_t turn) const { return events_[2 + turn]; }

  const std::span<const std::uint64_t> hashes_;
  const JoinReceiver& take_;
  const DeviceMemory<std::uint64_t> pieces_[2];
  cudaStream_t copies_ = nullptr;
  cudaEvent_t events_[4] = {};
  bool pinned_ = false;
};

constexpr std::size_t kPlanned = 64;  // number of choices that are counted in one pass over the set

// Plans the parts of every choice. Empty if one part does not fit.
std::vector<std::vector<JoinPart>> plan_parts(const Sender& sender, const std::vector<Choice>& choices,
                                              std::uint64_t most, const CudaCheck& check_cuda) {
  const DeviceMemory<std::uint64_t> device_counts(kPlanned * kBuckets, check_cuda);
  std::vector<std::uint64_t> counts(device_counts.size());
  const std::size_t bytes = counts.size() * sizeof counts[0];
  std::vector<std::vector<JoinPart>> parts;
  while (parts.size() < choices.size()) {
    const std::size_t first = parts.size();
    const std::size_t planned = std::min(kPlanned, choices.size() - first);
    check_cuda(cudaMemsetAsync(device_counts.data(), 0, bytes), "the join: counting");
    check_cuda(sender.each([&](const std::uint64_t* piece, std::uint64_t count) {
      for (std::size_t c = 0; c < planned; ++c)
        count_buckets<<<few_blocks_for(count, 512), kThreads>>>(piece, count, choices[first + c].key,
                                                                device_counts.data() + c * kBuckets);
    }),
               "the join: counting");
    check_cuda(cudaMemcpy(counts.data(), device_counts.data(), bytes, cudaMemcpyDeviceToHost), "the join: counting");
    for (std::size_t c = 0; c < planned; ++c) {
      parts.push_back(cut_into_parts(std::span(counts).subspan(c * kBuckets, kBuckets), most));
      if (parts.back().empty()) return {};
    }
  }
  return parts;
}

bool join_in_parts(std::span<const std::uint64_t> hashes, const std::vector<Choice>& choices, const JoinSizes& sizes,
                   const JoinBuffers& room, const JoinReceiver& take, Joiner& joiner, const CudaCheck& check_cuda) {
  const Sender sender(hashes, sizes.piece, take, check_cuda);
  const std::vector<std::vector<JoinPart>> parts = plan_parts(sender, choices, sizes.sorted, check_cuda);
  if (parts.empty()) return false;
  for (std::size_t c = 0; c < choices.size(); ++c) {
    check_cuda(joiner.choose(choices[c]), "the join");
    for (const JoinPart& part : parts[c]) {
      check_cuda(cudaMemsetAsync(room.found.data(), 0, sizeof(std::uint64_t)), "the join");
      check_cuda(sender.each([&](const std::uint64_t* piece, std::uint64_t count) {
        keep_part<<<few_blocks_for(count), kThreads>>>(piece, count, room.tables.data(), choices[c].key, part,
                                                       room.front.data(), room.found.data());
      }),
                 "the join: sending a part");
      std::uint64_t kept = 0;
      check_cuda(cudaMemcpy(&kept, room.found.data(), sizeof kept, cudaMemcpyDeviceToHost), "the join: sending a part");
      check_cuda(joiner.run(choices[c], kept), "the join");
    }
  }
  return true;
}

cudaError_t join_resident(const std::uint64_t* hashes, std::uint64_t count, const std::vector<Choice>& choices,
                          const JoinBuffers& room, Joiner& joiner) {
  if (count < 2) return cudaSuccess;
  for (const Choice& choice : choices) {
    if (const cudaError_t error = joiner.choose(choice); error != cudaSuccess) return error;
    move_bits<<<few_blocks_for(count), kThreads>>>(hashes, count, room.tables.data(), room.front.data());
    if (const cudaError_t error = joiner.run(choice, count); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

std::size_t join_sort_bytes(std::uint64_t count) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<std::uint64_t> keys(nullptr, nullptr);
  cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, count, 0, 64);
  return bytes;
}

std::size_t join_runs(std::uint64_t count, std::uint64_t most_run) {
  return 2 * (count / most_run + 1);
}

}  // namespace

std::uint64_t join_bytes(const JoinSizes& sizes) {
  constexpr std::uint64_t kRest = std::uint64_t{20} << 20;  // each of ten allocations may be rounded up to 2 MiB
  const std::uint64_t words = 2 * sizes.sorted + 2 * sizes.pairs + join_runs(sizes.sorted, kMostRun) +
                              (sizes.piece == 0 ? sizes.sorted : 2 * sizes.piece + kPlanned * kBuckets);
  return words * sizeof(std::uint64_t) + join_sort_bytes(sizes.sorted) + kRest;
}

std::optional<JoinSizes> join_sizes(std::uint64_t count, const JoinMemory& given) {
  constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 22;
  constexpr std::uint64_t kMostPiece = std::uint64_t{1} << 23;
  constexpr std::uint64_t kLeastSorted = std::uint64_t{1} << 16;
  const std::uint64_t memory = given.device;
  const std::uint64_t held = given.pairs / (2 * sizeof(std::uint64_t));
  if (held < kMostRun) return std::nullopt;
  JoinSizes sizes{.sorted = count, .pairs = std::clamp(memory / 128, kMostRun, std::min(held, kMostPairs))};
  if (join_bytes(sizes) <= memory) return sizes;
  sizes.piece = std::clamp(memory / 128, std::uint64_t{1024}, kMostPiece);
  sizes.sorted = std::min(count, memory / 16);
  while (sizes.sorted >= kLeastSorted && join_bytes(sizes) > memory) sizes.sorted -= sizes.sorted / 16;
  if (join_bytes(sizes) <= memory) return sizes;
  return std::nullopt;
}

JoinBuffers::JoinBuffers(const JoinSizes& sizes, const CudaCheck& check_cuda, std::uint64_t run)
    : front(sizes.sorted, check_cuda),
      back(sizes.sorted, check_cuda),
      sort(join_sort_bytes(sizes.sorted), check_cuda),
      tables(2 * kTables, check_cuda),
      pairs(2 * sizes.pairs, check_cuda),
      found(1, check_cuda),
      runs(join_runs(sizes.sorted, run), check_cuda),
      most_pairs(sizes.pairs),
      most_run(run) {}

cudaError_t hamming_join(const std::uint64_t* hashes, std::uint64_t count, std::span<const std::uint64_t> masks,
                         unsigned distance, const JoinBuffers& room, const JoinReceiver& take) {
  Joiner joiner(distance, room, take);
  return join_resident(hashes, count, make_choices(masks, distance), room, joiner);
}

bool join_from_host(std::span<const std::uint64_t> hashes, std::span<const std::uint64_t> masks, unsigned distance,
                    const JoinSizes& sizes, const CudaCheck& check_cuda, const JoinReceiver& take,
                    std::uint64_t most_run) {
  const JoinBuffers room(sizes, check_cuda, most_run);
  const std::vector<Choice> choices = make_choices(masks, distance);
  Joiner joiner(distance, room, take);
  if (sizes.piece != 0) return join_in_parts(hashes, choices, sizes, room, take, joiner, check_cuda);
  const DeviceMemory<std::uint64_t> set(hashes.size(), check_cuda);
  check_cuda(cudaMemcpy(set.data(), hashes.data(), hashes.size_bytes(), cudaMemcpyHostToDevice),
             "copying to the device");
  check_cuda(join_resident(set.data(), hashes.size(), choices, room, joiner), "the join");
  return true;
}

}  // namespace refrain::cuda
