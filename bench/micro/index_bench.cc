// The fingerprint index: 10 M stored fingerprints, sequential queries on one core, compared with brute force. Every
// twentieth query is close to a stored fingerprint. A sample of the answers is compared with brute force before
// anything is timed.
//
//   build/release/bench/index_bench       BENCH_SCALE=0.1: a tenth of the fingerprints
//
//   best, find       finds the nearest stored fingerprint; all within the distance
//   brute_plain      a popcount for each stored fingerprint
//   build/1          builds the tables, in one thread
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <tuple>
#include <vector>

#include "refrain/hamming.h"
#include "twin/machine_text.h"

namespace {

using refrain::FingerprintIndex;
using Matches = std::vector<FingerprintIndex::Match>;

constexpr unsigned kDistance = 3;
constexpr std::size_t kQueries = 1 << 20;
constexpr std::size_t kSample = 64;

const std::vector<std::uint64_t>& stored() {
  static const std::vector<std::uint64_t> fingerprints = [] {
    const char* scale = std::getenv("BENCH_SCALE");
    std::vector<std::uint64_t> made(static_cast<std::size_t>(10e6 * (scale != nullptr ? std::atof(scale) : 1)));
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = bench::random_number(1, i);
    return made;
  }();
  return fingerprints;
}

const std::vector<std::uint64_t>& queries() {
  static const std::vector<std::uint64_t> made = [] {
    std::vector<std::uint64_t> list(kQueries);
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i] = bench::random_number(2, i);
      if (i % 20 != 0) continue;
      list[i] = stored()[list[i] % stored().size()];
      for (std::uint64_t flip = 0; flip < i / 20 % 4; ++flip)
        list[i] ^= std::uint64_t{1} << bench::random_number(3 + flip, i) % 64;
    }
    return list;
  }();
  return made;
}

refrain::Context one_thread() {
  refrain::Context context;
  context.threads = 1;
  context.memory_bytes = std::uint64_t{4} << 30;
  return context;
}

const FingerprintIndex& index() {
  static const FingerprintIndex made(stored(), kDistance, one_thread());
  return made;
}

Matches by_brute_force(std::uint64_t query) {
  Matches matches;
  for (std::size_t i = 0; i < stored().size(); ++i) {
    const auto difference = static_cast<unsigned>(std::popcount(query ^ stored()[i]));
    if (difference <= kDistance) matches.push_back({i, difference});
  }
  std::sort(matches.begin(), matches.end(), [](const auto& a, const auto& b) {
    return std::tie(a.difference, a.index) < std::tie(b.difference, b.index);
  });
  return matches;
}

bool agrees() {
  std::size_t matched = 0;
  for (std::size_t i = 0; i < kSample; ++i) {
    const std::uint64_t query = queries()[i * 5];
    const Matches expected = by_brute_force(query);
    Matches found;
    index().find(query, found);
    const FingerprintIndex::Best best = index().best(query);
    if (found != expected || best.count != expected.size()) return false;
    if (!expected.empty() && best.match != expected.front()) return false;
    matched += expected.empty() ? 0 : 1;
  }
  return matched >= kSample / 4;
}

template <class Ask>
void ask(benchmark::State& state, Ask one) {
  if (!agrees()) {
    state.SkipWithError("an answer differs from brute force");
    return;
  }
  std::size_t next = 0;
  for (auto _ : state) one(queries()[next++ % kQueries]);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void best(benchmark::State& state) {
  ask(state, [](std::uint64_t query) { benchmark::DoNotOptimize(index().best(query)); });
}
BENCHMARK(best);

void find(benchmark::State& state) {
  Matches out;
  ask(state, [&](std::uint64_t query) {
    index().find(query, out);
    benchmark::DoNotOptimize(out.data());
  });
}
BENCHMARK(find);

void brute_plain(benchmark::State& state) {
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(by_brute_force(queries()[next++ % kQueries]));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(brute_plain)->Unit(benchmark::kMillisecond);

void build(benchmark::State& state) {
  for (auto _ : state) {
    const FingerprintIndex made(stored(), kDistance, one_thread());
    if (made.size() != stored().size()) state.SkipWithError("not all fingerprints were stored");
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * stored().size()));
}
BENCHMARK(build)->Name("build/1")->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
