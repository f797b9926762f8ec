// MinHash signatures with 128 lanes of sets in memory, on one core: the kernel compared with its plain twin. A
// thousand sets of 600 features, about as many as a page of text has. Every signature is compared with the twin's
// before anything is timed.
//
//   build/release/bench/minhash_bench       BENCH_SCALE=0.1: a tenth of the sets
//
//   minhash, minhash_plain         computes lanes from features
//   equal_bytes, equal_plain       compares pairs of signatures, reduced to bytes
//   common, common_plain           merges pairs of sets that share nine tenths; the twin is std::set_intersection
//   make_set, make_set_plain       sorts features and removes duplicates; the twin is std::sort
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "engines/sketch/loss.h"
#include "engines/sketch/minhash.h"
#include "twin/machine_text.h"

namespace {

using Features = std::vector<std::uint64_t>;

constexpr unsigned kLanes = 128;
constexpr std::size_t kSize = 600;

// Neighbors share nine tenths of their features.
const std::vector<Features>& unsorted() {
  static const std::vector<Features> all = [] {
    const char* scale = std::getenv("BENCH_SCALE");
    std::vector<Features> made(static_cast<std::size_t>(1000 * (scale != nullptr ? std::atof(scale) : 1)) / 2 * 2);
    for (std::size_t i = 0; i < made.size(); ++i)
      for (std::size_t j = 0; j < kSize; ++j)
        made[i].push_back(bench::random_number(j % 10 == 0 ? i : i / 2 + made.size(), j));
    return made;
  }();
  return all;
}

const std::vector<Features>& sets() {
  static const std::vector<Features> all = [] {
    std::vector<Features> made = unsorted();
    for (Features& set : made) refrain::sketch::make_set(set);
    return made;
  }();
  return all;
}

void make_set_plain(Features& features) {
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
}

std::size_t common_plain(const Features& a, const Features& b) {
  static Features both(kSize);
  return static_cast<std::size_t>(std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), both.begin()) -
                                  both.begin());
}

using Add = void (refrain::sketch::MinHash::*)(std::span<const std::uint64_t>, std::uint32_t*) const;

std::vector<std::uint32_t> signatures(Add add) {
  const refrain::sketch::MinHash hash(kLanes, 0);
  std::vector<std::uint32_t> all(sets().size() * kLanes);
  for (std::size_t i = 0; i < sets().size(); ++i) {
    hash.start(&all[i * kLanes]);
    (hash.*add)(sets()[i], &all[i * kLanes]);
  }
  return all;
}

// Times `work` if its result equals that of `plain`; a run of it processes `items` items.
template <class Work, class Plain>
void time_against(benchmark::State& state, Work work, Plain plain, std::size_t items) {
  if (work() != plain()) {
    state.SkipWithError("the answer differs from the plain twin's");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(work());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * items));
}

template <Add kAdd>
void minhash(benchmark::State& state) {
  time_against(
      state, [] { return signatures(kAdd); }, [] { return signatures(&refrain::sketch::MinHash::add_plain); },
      sets().size() * kSize);
}

template <auto kEqual>
std::size_t all_equal_bytes() {
  static const std::vector<std::uint8_t> bytes = [] {
    const auto lanes = signatures(&refrain::sketch::MinHash::add);
    return std::vector<std::uint8_t>(lanes.begin(), lanes.end());
  }();
  std::size_t equal = 0;
  for (std::size_t i = 0; i + kLanes < bytes.size(); i += kLanes)
    equal += kEqual(&bytes[i], &bytes[i + kLanes], kLanes);
  return equal;
}

template <auto kEqual>
void equal_bytes(benchmark::State& state) {
  time_against(state, all_equal_bytes<kEqual>, all_equal_bytes<refrain::sketch::equal_bytes_plain>, sets().size() - 1);
}

template <auto kCommon>
std::size_t all_common() {
  std::size_t common = 0;
  for (std::size_t i = 0; i < sets().size(); i += 2) common += kCommon(sets()[i], sets()[i + 1]);
  return common;
}

std::size_t common_features(const Features& a, const Features& b) {
  return refrain::sketch::common_features(a, b);
}

template <auto kCommon>
void common(benchmark::State& state) {
  time_against(state, all_common<kCommon>, all_common<common_plain>, sets().size() * kSize);
}

template <auto kMake>
std::vector<Features> all_sets() {
  std::vector<Features> all = unsorted();
  for (Features& set : all) kMake(set);
  return all;
}

template <auto kMake>
void make_set(benchmark::State& state) {
  time_against(state, all_sets<kMake>, all_sets<make_set_plain>, sets().size() * kSize);
}

BENCHMARK(minhash<&refrain::sketch::MinHash::add>)->Name("minhash")->Unit(benchmark::kMillisecond);
BENCHMARK(minhash<&refrain::sketch::MinHash::add_plain>)->Name("minhash_plain")->Unit(benchmark::kMillisecond);
BENCHMARK(equal_bytes<refrain::sketch::equal_bytes>)->Name("equal_bytes");
BENCHMARK(equal_bytes<refrain::sketch::equal_bytes_plain>)->Name("equal_plain");
BENCHMARK(common<common_features>)->Name("common");
BENCHMARK(common<common_plain>)->Name("common_plain");
BENCHMARK(make_set<refrain::sketch::make_set>)->Name("make_set")->Unit(benchmark::kMillisecond);
BENCHMARK(make_set<make_set_plain>)->Name("make_set_plain")->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
