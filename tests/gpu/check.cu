// Compares the kernels with the library, byte for byte. `check small` uses small inputs, for a sanitizer; `check
// sets` skips the texts.
#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <set>
#include <thread>

#include "engines/cuda/kernels/join.cuh"
#include "gpu/device.h"
#include "refrain/kernels.h"
#include "refrain/pairs.h"

namespace refrain::gpu_test {
namespace {

bool small = false;
int failures = 0;
std::size_t left_to_cpu = 0;
std::size_t compared = 0;

void fail(const std::string& what) {
  std::printf("FAILED %s\n", what.c_str());
  ++failures;
}

Context all_threads() {
  Context context;
  context.threads = std::thread::hardware_concurrency();
  return context;
}

TextColumn column(const Texts& texts) {
  return {texts.bytes.data(), reinterpret_cast<const std::int64_t*>(texts.offsets.data()), texts.size()};
}

// Whether a text must be left to the CPU; no others may be.
bool must_be_left(std::string_view text, const FingerprintOptions& options) {
  const bool letters = options.tokenizer == TokenizerKind::alpha;
  return !letters && std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 128; });
}

void check_simhash(const std::string& name, const Texts& texts, const FingerprintOptions& options, bool may_leave) {
  const DeviceCopy copy(texts);
  const Scratch room(copy.view);
  OnDevice<std::uint64_t> hashes(texts.size());
  OnDevice<std::uint8_t> valid(texts.size());
  check_cuda(cudaMemset(hashes.data(), 0xAB, texts.size() * 8), "cudaMemset");
  cuda::simhash(copy.view, simhash_rule(options), room.simhash(), hashes.data(), valid.data(), nullptr);
  check_cuda(cudaDeviceSynchronize(), name.c_str());
  const auto got = hashes.to_host();
  const auto got_valid = valid.to_host();
  std::vector<std::uint64_t> expected(texts.size());
  std::vector<std::uint8_t> expected_valid(texts.size());
  Fingerprinter(options).batch(column(texts), expected.data(), expected_valid.data(), all_threads());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool left = got_valid[i] >= cuda::kForCpu;
    const std::string which = name + ", tokenizer " + std::to_string(static_cast<int>(options.tokenizer)) + ", hash " +
                              std::to_string(static_cast<int>(options.hash)) + ", window " +
                              std::to_string(options.window) + ": text " + std::to_string(i) + " of " +
                              std::to_string(texts[i].size());
    if (!may_leave && left != must_be_left(texts[i], options))
      return fail(which + ": left to the CPU: " + std::to_string(left));
    left_to_cpu += left;
    ++compared;
    if (!left && (got[i] != expected[i] || got_valid[i] != expected_valid[i])) return fail("simhash " + which);
  }
}

void check_minhash(const std::string& name, const Texts& texts, const FingerprintOptions& windows) {
  const DeviceCopy copy(texts);
  const Scratch room(copy.view);
  // splitmix64, with which minhash.cc draws factors and addends.
  const auto scatter = [](std::uint64_t x) {
    x = (x ^ x >> 30U) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ x >> 27U) * 0x94D049BB133111EBULL;
    return x ^ x >> 31U;
  };
  std::vector<std::uint32_t> factors;
  std::vector<std::uint32_t> addends;
  std::uint64_t state = scatter(windows.seed);
  for (unsigned i = 0; i < cuda::kSignatureLanes; ++i) {
    const std::uint64_t drawn = scatter(state += 0x9E3779B97F4A7C15ULL);
    factors.push_back(static_cast<std::uint32_t>(drawn) | 1U);
    addends.push_back(static_cast<std::uint32_t>(drawn >> 32U));
  }
  const OnDevice<std::uint32_t> device_factors(factors.data(), factors.size());
  const OnDevice<std::uint32_t> device_addends(addends.data(), addends.size());
  const cuda::SimHashRule rule = simhash_rule(windows);
  OnDevice<std::uint32_t> signatures(texts.size() * cuda::kSignatureLanes);
  OnDevice<std::uint8_t> valid(texts.size());
  cuda::minhash(copy.view, {rule.members, rule.feature, device_factors.data(), device_addends.data()},
                room.firsts.data(), signatures.data(), valid.data(), nullptr);
  const Bands bands{13, 9};
  const std::size_t words = cuda::kSignatureLanes / 4 + bands.bands;
  OnDevice<std::uint32_t> sketches(texts.size() * words);
  cuda::minhash_sketches(signatures.data(), texts.size(), bands.bands, bands.rows, sketches.data(), nullptr);
  check_cuda(cudaDeviceSynchronize(), name.c_str());
  const auto got = signatures.to_host();
  const auto got_valid = valid.to_host();
  const auto got_sketches = sketches.to_host();
  std::vector<std::uint32_t> expected(got.size());
  std::vector<std::uint32_t> expected_keys(texts.size() * bands.bands);
  std::vector<std::uint8_t> expected_valid(texts.size());
  MinHasher({.windows = windows}).batch(column(texts), expected.data(), expected_valid.data(), all_threads());
  band_keys(bands, expected, cuda::kSignatureLanes, expected_keys.data(), all_threads());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (got_valid[i] >= cuda::kForCpu) continue;
    const std::uint32_t* signature = &expected[i * cuda::kSignatureLanes];
    const std::string which = name + ", window " + std::to_string(windows.window) + ": text " + std::to_string(i);
    if (got_valid[i] != expected_valid[i] ||
        !std::equal(signature, signature + cuda::kSignatureLanes, &got[i * cuda::kSignatureLanes]))
      return fail("minhash " + which);
    const auto* sketch = reinterpret_cast<const std::uint8_t*>(&got_sketches[i * words]);
    for (unsigned lane = 0; lane < cuda::kSignatureLanes; ++lane)
      if (sketch[lane] != static_cast<std::uint8_t>(signature[lane])) return fail("sketch " + which);
    if (std::memcmp(sketch + cuda::kSignatureLanes, &expected_keys[i * bands.bands], 4 * bands.bands) != 0)
      return fail("band keys " + which);
  }
}

void check_digests(const std::string& name, const Texts& texts) {
  const DeviceCopy copy(texts);
  OnDevice<std::uint64_t> digests(2 * texts.size());
  cuda::digests(copy.view, digests.data(), nullptr);
  check_cuda(cudaDeviceSynchronize(), name.c_str());
  const auto got = digests.to_host();
  std::vector<Digest> expected(texts.size());
  refrain::digests(column(texts), expected.data(), all_threads());
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (got[2 * i] != expected[i].high || got[2 * i + 1] != expected[i].low)
      return fail("digests " + name + ": text " + std::to_string(i) + " of " + std::to_string(texts[i].size()));
}

std::vector<FingerprintOptions> presets(bool few) {
  std::vector<FingerprintOptions> all{preset("fpga")->fingerprint};
  for (const TokenizerKind tokenizer : {TokenizerKind::whitespace, TokenizerKind::alpha, TokenizerKind::words_nfkc})
    for (const unsigned window : {0U, 1U, 3U, 8U}) {  // 0 means sdbm
      if (few && window != 0 && window != 3) continue;
      all.push_back({.tokenizer = tokenizer,
                     .hash = window == 0 ? HashKind::sdbm : HashKind::xxh3,
                     .window = window == 0 ? 1 : window,
                     .seed = window});
    }
  return all;
}

void check_all(const std::string& name, const Texts& texts, bool may_leave = false) {
  std::printf("%s\n", name.c_str());
  std::fflush(stdout);
  for (const FingerprintOptions& options : presets(small)) check_simhash(name, texts, options, may_leave);
  for (const unsigned window : {1U, 5U}) check_minhash(name, texts, {.window = window});
  check_digests(name, texts);
}

void check_texts() {
  std::mt19937_64 random(11);
  const std::size_t many = small ? 300 : 200000;
  Texts tiny, mixed, hostile, single, aligned;
  for (std::size_t i = 0; i < many; ++i) tiny.add(prose(random, random() % 90));
  check_all("tiny", tiny);
  for (std::size_t i = 0; i < (small ? 20 : 3000); ++i)
    mixed.add(prose(random, random() % (i % 100 == 0 ? 200000 : i % 10 == 0 ? 20000 : 3000)));
  check_all("mixed", mixed);
  for (std::size_t i = 0; i < many / 2; ++i) {
    std::string text = prose(random, random() % (i % 100 == 0 ? 9000 : 200));
    if (!text.empty() && random() % 2 == 0) text[random() % text.size()] = static_cast<char>(random());
    if (random() % 10 == 0) text.append(random() % 300, 'q');
    if (random() % 10 == 0) text.append(random() % 300, ' ');
    hostile.add(text);
  }
  check_all("hostile", hostile, true);
  for (std::size_t i = 0; i < many; ++i) single.add(std::string(1, " a\nB7\t.z"[random() % 8]));
  check_all("single bytes", single);
  for (std::size_t i = 0; i < 260; ++i) {
    aligned.add(std::string(i % 131, 'x'));
    aligned.add(prose(random, 300 + i));
  }
  check_all("every alignment", aligned);
  Texts none;
  check_simhash("none", none, {}, false);
  Texts empties;
  for (std::size_t i = 0; i < (small ? 500 : 1000000); ++i) empties.add({});
  check_all("empty", empties);
  empties.add("one more text at the end");
  for (std::size_t i = 0; i < (small ? 500 : 1000000); ++i) empties.add({});
  empties.add("and another one at the very end");
  check_all("empty and not", empties);
  if (small) return;
  Texts large;
  large.add("first one");
  large.add(prose(random, 100000000));
  large.add(std::string(30000000, 'x'));
  large.add(std::string(30000000, ' '));
  large.add("last one");
  check_simhash("large", large, preset("fpga")->fingerprint, true);
  check_simhash("large", large, {}, true);
  check_minhash("large", large, {.window = 5});
  check_digests("large", large);
}

using Pair = std::pair<std::uint64_t, std::uint64_t>;

// Processes runs with equal keys as the CPU would.
auto take_run_into(std::vector<Pair>& got, unsigned distance, std::size_t& long_runs) {
  return [&got, distance, &long_runs](std::span<const std::uint64_t> run, std::span<const std::uint64_t> passed) {
    ++long_runs;
    for (std::size_t i = 0; i < run.size(); ++i)
      for (std::size_t j = i + 1; j < run.size(); ++j)
        if (static_cast<unsigned>(std::popcount(run[i] ^ run[j])) <= distance &&
            std::ranges::all_of(passed, [&](std::uint64_t mask) { return ((run[i] ^ run[j]) & mask) != 0; }))
          got.emplace_back(std::minmax(run[i], run[j]));
  };
}

// Joins in device memory, and from the host: whole, and in parts of a third and of a twentieth.
void check_join(std::size_t count, unsigned distance, unsigned blocks, std::uint64_t varying, std::uint64_t most_pairs,
                std::uint64_t most_run = cuda::kMostRun) {
  std::mt19937_64 random(13);
  std::set<std::uint64_t> set;
  while (set.size() < count) {
    std::uint64_t hash = random() & varying;
    set.insert(hash);
    for (unsigned i = 0; i < 3 && random() % 2 == 0; ++i) set.insert(hash ^= std::uint64_t{1} << random() % 64);
  }
  const std::vector<std::uint64_t> hashes(set.begin(), set.end());
  std::vector<std::uint64_t> masks(blocks);
  unsigned next = 0;
  for (unsigned bit = 0; bit < 64; ++bit)
    masks[(varying >> bit & 1U) != 0 ? next++ % blocks : bit % blocks] |= std::uint64_t{1} << bit;
  std::vector<Pair> expected;
  for (std::size_t i = 0; i < hashes.size(); ++i)
    for (std::size_t j = i + 1; j < hashes.size(); ++j)
      if (static_cast<unsigned>(std::popcount(hashes[i] ^ hashes[j])) <= distance)
        expected.emplace_back(hashes[i], hashes[j]);
  const cuda::CudaCheck asker("the GPU");
  for (const std::uint64_t sorted : {hashes.size(), hashes.size() / 3, hashes.size() / 20}) {
    if (small && sorted < hashes.size() / 3) continue;  // too many launches
    const bool whole = sorted == hashes.size();
    const cuda::JoinSizes sizes{sorted, whole ? 0 : hashes.size() / 7 + 1, most_pairs};
    std::vector<Pair> got;
    std::size_t long_runs = 0;
    std::uint64_t held = 0;
    const cuda::JoinReceiver take{.pairs =
                                      [&](std::span<const std::uint64_t> taken) {
                                        if (taken.size_bytes() > held) fail("pairs that were not announced");
                                        for (std::size_t i = 0; i < taken.size(); i += 2)
                                          got.emplace_back(std::minmax(taken[i], taken[i + 1]));
                                      },
                                  .run = take_run_into(got, distance, long_runs),
                                  .step = [&](std::uint64_t bytes) { held = bytes; }};
    const bool joined = cuda::join_from_host(hashes, masks, distance, sizes, asker, take, most_run);
    std::ranges::sort(got);
    std::printf("join of %zu within %u, %llu at a time: %zu pairs, %zu long runs%s\n", hashes.size(), distance,
                static_cast<unsigned long long>(sorted), expected.size(), long_runs, joined ? "" : ", left to the CPU");
    if (whole && most_run < 1000 && long_runs == 0) fail("no long runs");
    // If so few bits vary, a bucket may be more than a twentieth of the set.
    if (!joined && (sorted * 4 > hashes.size() || std::popcount(varying) > 32)) fail("a join was left to the CPU");
    if (joined ? got != expected : !got.empty())
      fail("join within " + std::to_string(distance) + " by " + std::to_string(blocks) +
           " blocks: " + std::to_string(got.size()));
  }
}

// Chosen sizes fit into the memory they were computed for, and less memory gives smaller sizes.
void check_join_sizes() {
  constexpr std::uint64_t kPairs = std::uint64_t{64} << 20;
  for (const std::uint64_t memory : {std::uint64_t{96} << 20, std::uint64_t{256} << 20, std::uint64_t{1} << 30}) {
    const std::optional<cuda::JoinSizes> sizes = cuda::join_sizes(100000000, {memory, kPairs});
    if (!sizes || sizes->piece == 0 || cuda::join_bytes(*sizes) > memory) fail("sizes of a join");
    if (sizes && sizes->sorted * 16 < memory / 3) fail("a join that uses little of its memory");
  }
  if (cuda::join_sizes(100000000, {1 << 20, kPairs})) fail("a join in no memory");
  if (cuda::join_sizes(100000000, {std::uint64_t{1} << 30, 1000})) fail("a join with no room for pairs");
  const std::optional<cuda::JoinSizes> whole = cuda::join_sizes(1000000, {std::uint64_t{1} << 30, kPairs});
  if (!whole || whole->piece != 0 || whole->sorted != 1000000) fail("a join that fits");
}

}  // namespace
}  // namespace refrain::gpu_test

int main(int argc, char** argv) {
  using namespace refrain::gpu_test;
  const std::string_view mode = argc > 1 ? argv[1] : "";
  small = mode == "small";
  if (mode != "sets") check_texts();
  const std::size_t count = small ? 500 : 20000;
  const std::uint64_t all = ~std::uint64_t{0};
  check_join(count, 0, 2, all, 1 << 20);
  check_join(count, 3, 4, all, 1 << 20);
  check_join(count, 3, 5, all, 1 << 20);
  check_join(count, 3, 6, 0x00FF00FF00FF00FFULL, 1 << 20);
  check_join(small ? 100 : count, 8, 10, all, 100);
  check_join(small ? 200 : 3000, 3, 5, 0xFFFULL << 20, 1000);
  check_join(small ? 200 : 3000, 3, 5, 0xFFFULL << 20, 1000, 5);
  check_join(small ? 200 : 3000, 3, 4, 0xFFFULL << 20, 100000, 20);
  check_join_sizes();
  std::printf("check: %zu fingerprints compared, %zu texts left to the CPU, %d failures\n", compared, left_to_cpu,
              failures);
  return failures == 0 ? 0 : 1;
}
