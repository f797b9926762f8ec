// Measures the kernels on texts and fingerprints in device memory, and compares them with the device's copy rate.
// Every figure is the median of several runs. `check` compares the answers; here, a join must find the pairs that
// were planted in its set. With any argument, the texts are skipped.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "engines/cuda/kernels/join.cuh"
#include "engines/cuda/kernels/lane.cuh"
#include "gpu/device.h"

namespace refrain::gpu_test {
namespace {

double seconds_of(const std::function<void()>& work, int runs = 7) {
  cudaEvent_t begin, end;
  check_cuda(cudaEventCreate(&begin), "event");
  check_cuda(cudaEventCreate(&end), "event");
  std::vector<float> times;
  work();
  for (int run = 0; run < runs; ++run) {
    check_cuda(cudaEventRecord(begin), "record");
    work();
    check_cuda(cudaEventRecord(end), "record");
    check_cuda(cudaEventSynchronize(end), "work");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "time");
    times.push_back(milliseconds / 1000);
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

void row(const char* what, double bytes, double seconds) {
  std::printf("%-44s %9.3f ms %9.1f GB/s\n", what, seconds * 1e3, bytes / seconds * 1e-9);
  std::fflush(stdout);
}

Texts texts_of(std::size_t size, std::size_t bytes) {
  std::mt19937_64 random(size);
  const std::string source = prose(random, std::size_t{16} << 20U);
  Texts texts;
  while (texts.bytes.size() < bytes) {
    const std::size_t length = size - size / 4 + random() % (size / 2 + 1);
    texts.add(std::string_view(source).substr(random() % (source.size() - length), length));
  }
  return texts;
}

void bench_copies() {
  const std::size_t bytes = std::size_t{2} << 30U;
  const OnDevice<std::uint8_t> a(bytes), b(bytes);
  row("device to device, read and written", 2.0 * bytes,
      seconds_of([&] { cudaMemcpyAsync(b.data(), a.data(), bytes, cudaMemcpyDeviceToDevice); }));
  void* pinned = nullptr;
  const std::size_t part = std::size_t{256} << 20U;
  check_cuda(cudaMallocHost(&pinned, part), "pinned memory");
  std::memset(pinned, 1, part);
  row("host to device, pinned", part,
      seconds_of([&] { cudaMemcpyAsync(a.data(), pinned, part, cudaMemcpyHostToDevice); }));
  cudaFreeHost(pinned);
}

void bench_texts(std::size_t size) {
  const Texts texts = texts_of(size, std::size_t{64} << 20U);
  const DeviceCopy copy(texts, 32);
  const Scratch room(copy.view);
  const OnDevice<std::uint64_t> hashes(copy.view.count);
  const OnDevice<std::uint8_t> valid(copy.view.count);
  const auto bytes = static_cast<double>(copy.view.size);
  char name[80];
  const auto simhash = [&](const char* what, const FingerprintOptions& options) {
    std::snprintf(name, sizeof name, "simhash %s, %zu-byte texts", what, size);
    row(name, bytes, seconds_of([&] {
          cuda::simhash(copy.view, simhash_rule(options), room.simhash(), hashes.data(), valid.data(), nullptr);
        }));
  };
  simhash("fpga", preset("fpga")->fingerprint);
  simhash("words, window 3", {});
  simhash("alpha xxh3", {.tokenizer = TokenizerKind::alpha, .window = 1});
  const OnDevice<std::uint64_t> digests(2 * copy.view.count);
  std::snprintf(name, sizeof name, "digests, %zu-byte texts", size);
  row(name, bytes, seconds_of([&] { cuda::digests(copy.view, digests.data(), nullptr); }));
  const OnDevice<std::uint32_t> numbers(cuda::kSignatureLanes);
  check_cuda(cudaMemset(numbers.data(), 0x55, 4 * cuda::kSignatureLanes), "cudaMemset");
  const OnDevice<std::uint32_t> signatures(copy.view.count * cuda::kSignatureLanes);
  const cuda::SimHashRule rule = simhash_rule({.window = 5});
  std::snprintf(name, sizeof name, "minhash 128, window 5, %zu-byte texts", size);
  row(name, bytes, seconds_of([&] {
        cuda::minhash(copy.view, {rule.members, rule.feature, numbers.data(), numbers.data()}, room.firsts.data(),
                      signatures.data(), valid.data(), nullptr);
      }));
}

// Measures from texts in pinned memory to fingerprints in pinned memory: some lanes copy while kernels of others run.
void bench_feed(const char* what, const FingerprintOptions& options) {
  constexpr std::size_t kAtOnce = 4;
  constexpr int kRounds = 200;
  const Texts texts = texts_of(4096, std::size_t{31} << 20U);
  const cuda::SketchRule rule{options.tokenizer, options.hash, options.window, options.seed, options.tie_sets_bit};
  const cuda::CudaCheck asker("the GPU");
  std::vector<std::unique_ptr<cuda::Lane>> lanes;
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    lanes.push_back(cuda::make_lane(0, rule, {std::size_t{32} << 20U, texts.size()}, asker));
    std::ranges::copy(texts.bytes, lanes[i]->text().begin());
    std::ranges::copy(texts.offsets, lanes[i]->offsets().begin());
    lanes[i]->start(texts.size());
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; round < kRounds; ++round) {
    cuda::Lane& lane = *lanes[static_cast<std::size_t>(round) % kAtOnce];
    lane.wait();
    lane.start(texts.size());
  }
  for (const auto& lane : lanes) lane->wait();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  row(what, kRounds * static_cast<double>(texts.bytes.size()), passed.count());
}

// The shape of a set of fingerprints: the bits that vary in it, and its crowding: all but one of every `crowd` hashes
// take the lower half of one of `centres` others.
struct Skew {
  const char* name;
  std::uint64_t varying = ~0ULL;
  std::uint64_t crowd = 1;
  std::uint64_t centres = 1;
};

// Every kPlanted-th hash is followed by one that differs from it in the highest and the lowest varying bit.
constexpr std::uint64_t kPlanted = 1000;

__global__ void fill(std::uint64_t* hashes, std::uint64_t count, Skew skew) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    const bool planted = i % kPlanted == 1;
    const std::uint64_t number = planted ? i - 1 : i;
    std::uint64_t hash = cuda::mix_window(number + 1);
    if (number % skew.crowd != 0) hash = (hash & ~0xFFFFFFFFULL) | (cuda::mix_window(hash % skew.centres + 1) >> 32U);
    hash &= skew.varying;
    if (planted) hash ^= (std::uint64_t{1} << (63 - __clzll(skew.varying))) | (skew.varying & (~skew.varying + 1));
    hashes[i] = hash;
  }
}

std::vector<std::uint64_t> even_masks(unsigned blocks, std::uint64_t varying) {
  std::vector<std::uint64_t> masks(blocks);
  unsigned next = 0;
  const auto width = static_cast<unsigned>(__builtin_popcountll(varying));
  for (unsigned bit = 0; bit < 64; ++bit)
    masks[(varying >> bit & 1U) != 0 ? next++ * blocks / width : bit % blocks] |= std::uint64_t{1} << bit;
  return masks;
}

void join_row(const char* what, std::uint64_t count, unsigned blocks, double seconds, std::uint64_t pairs,
              std::uint64_t long_runs, std::uint64_t least) {
  if (pairs < least && long_runs == 0) {
    std::printf("%s: %llu pairs, at least %llu were put there\n", what, static_cast<unsigned long long>(pairs),
                static_cast<unsigned long long>(least));
    std::exit(1);
  }
  std::printf("join within 3, %4llu M, %2u blocks, %-30s %9.3f s  %llu pairs, %llu long runs\n",
              static_cast<unsigned long long>(count / 1000000), blocks, what, seconds,
              static_cast<unsigned long long>(pairs), static_cast<unsigned long long>(long_runs));
  std::fflush(stdout);
}

cuda::JoinReceiver count_pairs(std::uint64_t& pairs, std::uint64_t& long_runs) {
  return {.pairs = [&](std::span<const std::uint64_t> taken) { pairs += taken.size() / 2; },
          .run = [&](std::span<const std::uint64_t>, std::span<const std::uint64_t>) { ++long_runs; },
          .step = [](std::uint64_t) {}};
}

void bench_join(std::uint64_t count, unsigned blocks, const Skew& skew) {
  const OnDevice<std::uint64_t> hashes(count);
  const cuda::JoinBuffers room({count, 0, 1 << 22}, cuda::CudaCheck("the GPU"));
  fill<<<2048, 256>>>(hashes.data(), count, skew);
  const std::vector<std::uint64_t> masks = even_masks(blocks, skew.varying);
  std::uint64_t got = 0;
  std::uint64_t long_runs = 0;
  const double seconds = seconds_of(
      [&] {
        got = long_runs = 0;
        check_cuda(cuda::hamming_join(hashes.data(), count, masks, 3, room, count_pairs(got, long_runs)), "join");
      },
      1);
  join_row(skew.name, count, blocks, seconds, got, long_runs, count / kPlanted);
}

// Joins from the host, with `memory` bytes of device memory.
void bench_streamed_join(std::uint64_t count, unsigned blocks, std::uint64_t memory) {
  std::vector<std::uint64_t> hashes;
  {
    const OnDevice<std::uint64_t> made(count);
    fill<<<2048, 256>>>(made.data(), count, {""});
    hashes = made.to_host();
  }
  const cuda::JoinSizes sizes = cuda::join_sizes(count, {memory, std::uint64_t{64} << 20U}).value();
  std::uint64_t got = 0;
  std::uint64_t long_runs = 0;
  const auto begin = std::chrono::steady_clock::now();
  const bool joined = cuda::join_from_host(hashes, even_masks(blocks, ~0ULL), 3, sizes, cuda::CudaCheck("the GPU"),
                                           count_pairs(got, long_runs));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  char name[80];
  std::snprintf(name, sizeof name, "host, %llu MiB, %s", static_cast<unsigned long long>(memory >> 20U),
                sizes.piece == 0 ? "whole" : "in parts");
  join_row(joined ? name : "host, left to the CPU", count, blocks, passed.count(), got, long_runs, count / kPlanted);
}

}  // namespace
}  // namespace refrain::gpu_test

int main(int argc, char** /*argv*/) {
  using namespace refrain::gpu_test;
  if (argc == 1) {
    bench_texts(4096);
    bench_texts(512);
    bench_texts(45);
  }
  bench_copies();
  bench_feed("host to host, fpga", refrain::preset("fpga")->fingerprint);
  bench_feed("host to host, words, window 3", {});
  const Skew even{"64 bits vary"};
  bench_join(100000000, 4, even);
  bench_join(100000000, 5, even);
  bench_join(100000000, 6, even);
  bench_join(1000000000, 5, even);
  bench_join(100000000, 5, {"48 bits vary", 0x0FFF0FFF0FFF0FFFULL});
  bench_join(100000000, 6, {"48 bits vary", 0x0FFF0FFF0FFF0FFFULL});
  bench_join(100000000, 6, {"40 bits vary", 0x03FF03FF03FF03FFULL});
  bench_join(100000000, 5, {"half in 1,000 crowds", ~0ULL, 2, 1000});
  bench_join(100000000, 5, {"99 in 100 in 100,000 crowds", ~0ULL, 100, 100000});
  bench_streamed_join(100000000, 5, std::uint64_t{4} << 30U);
  bench_streamed_join(100000000, 5, std::uint64_t{1} << 30U);
  bench_streamed_join(100000000, 5, std::uint64_t{256} << 20U);
  bench_streamed_join(1000000000, 5, std::uint64_t{32} << 30U);
  bench_streamed_join(1000000000, 5, std::uint64_t{8} << 30U);
  return 0;
}
