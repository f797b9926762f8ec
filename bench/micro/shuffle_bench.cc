// The shuffle: 10 M records of 16 bytes grouped by their keys (about four per key), compared with sorting them and a
// loop over the sorted records. All groups are compared before anything is timed.
//
//   build/release/bench/shuffle_bench       BENCH_SCALE=0.1: a tenth of the records; 5: 50 M
//
//   shuffle/1, shuffle/2     with one and with two threads; writing and reading
//   shuffle_spilled/2        the same in a quarter of the memory that the records take; spilled_mb: size on disk
//   sort_plain               std::sort in one thread, then the groups
//   sort_vq                  Highway's vqsort of pairs (AVX-512, AVX2, NEON, ...), in one thread
//   sort_tbb/2               tbb::parallel_sort in two threads, then the groups in one
#include <benchmark/benchmark.h>
#include <hwy/contrib/sort/vqsort.h>
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/budget.h"
#include "base/files/temp.h"
#include "base/threads.h"
#include "store/shuffle.h"
#include "twin/machine_text.h"

namespace {

struct Record {
  std::uint64_t key;
  std::uint64_t value;
  friend auto operator<=>(const Record&, const Record&) = default;
};
struct KeyOf {
  std::uint64_t operator()(const Record& record) const { return record.key; }
};

// Totals of all groups, which do not depend on the order of groups, or of records in a group.
struct Groups {
  std::uint64_t groups = 0;
  std::uint64_t records = 0;
  std::uint64_t checksum = 0;

  template <class R>
  void add(std::uint64_t key, std::span<const R> group) {
    std::uint64_t sum = 0;
    for (const R& record : group) sum += record.value;
    ++groups;
    records += group.size();
    checksum += bench::random_number(key, sum);
  }
  friend bool operator==(const Groups&, const Groups&) = default;
};

const std::vector<Record>& input() {
  static const std::vector<Record> records = [] {
    const char* scale = std::getenv("BENCH_SCALE");
    const auto count = static_cast<std::size_t>(10e6 * (scale != nullptr ? std::atof(scale) : 1));
    std::vector<Record> made(count);
    for (std::size_t i = 0; i < count; ++i)
      made[i] = {bench::random_number(1, bench::random_number(2, i) % (count / 4)), i};
    return made;
  }();
  return records;
}

// R is Record, or the type that another library's sort uses for it.
template <class R, class Sort>
Groups by_sorting(Sort sort) {
  std::vector<R> records(input().size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].key = input()[i].key;
    records[i].value = input()[i].value;
  }
  sort(records);
  Groups all;
  for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
    while (end < records.size() && records[end].key == records[begin].key) ++end;
    all.add(records[begin].key, std::span<const R>(records).subspan(begin, end - begin));
  }
  return all;
}

Groups by_plain_sort() {
  return by_sorting<Record>([](std::vector<Record>& records) {
    std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.key < b.key; });
  });
}

Groups by_vqsort() {
  return by_sorting<hwy::K64V64>(
      [](std::vector<hwy::K64V64>& records) { hwy::Sorter()(records.data(), records.size(), hwy::SortAscending()); });
}

Groups by_tbb_sort(unsigned threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  return by_sorting<Record>([](std::vector<Record>& records) {
    tbb::parallel_sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.key < b.key; });
  });
}

struct Shuffled {
  Groups groups;
  std::uint64_t spilled_bytes;
};

// memory_bytes: 0 keeps everything in memory.
Shuffled by_shuffling(unsigned threads, std::uint64_t memory_bytes) {
  refrain::Context context;
  context.threads = threads;
  context.memory_bytes = std::uint64_t{2} << 30;
  refrain::MemoryBudget budget(context);
  refrain::TempSpace temp(context);
  refrain::store::ShuffleOptions options;
  options.expected_records = input().size();
  if (memory_bytes != 0) options.temp = &temp;
  options.memory_bytes = memory_bytes;
  refrain::store::Shuffle<Record, KeyOf> shuffle(options, budget);
  refrain::run_workers(threads, [&](unsigned worker) {
    auto writer = shuffle.writer();
    const std::size_t share = input().size() / threads;
    const std::size_t end = worker + 1 == threads ? input().size() : (worker + 1) * share;
    for (std::size_t i = worker * share; i < end; ++i) writer.add(input()[i]);
  });
  struct alignas(64) OwnLine {
    Groups groups;
  };
  std::vector<OwnLine> each(threads);
  shuffle.for_each_run(context, [&](unsigned worker, std::size_t, const refrain::store::Run<Record>& run) {
    each[worker].groups.add(run.key, run.records);  // complete groups: run_records is not limited, no frequent keys
  });
  Groups all;
  for (const OwnLine& one : each) {
    all.groups += one.groups.groups;
    all.records += one.groups.records;
    all.checksum += one.groups.checksum;
  }
  return {all, shuffle.spilled_bytes()};
}

// Times make(), which must return the groups of the sorted records.
template <class Make>
void time_groups(benchmark::State& state, Make make) {
  static const Groups expected = by_plain_sort();
  if (expected.records != input().size() || make() != expected) {
    state.SkipWithError("the groups differ from those of the sorted records");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(make());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * input().size()));
}

void shuffle(benchmark::State& state) {
  time_groups(state, [&] { return by_shuffling(static_cast<unsigned>(state.range(0)), 0).groups; });
}
BENCHMARK(shuffle)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void shuffle_spilled(benchmark::State& state) {
  std::uint64_t spilled_bytes = 0;
  time_groups(state, [&] {
    const Shuffled shuffled = by_shuffling(static_cast<unsigned>(state.range(0)), input().size() * sizeof(Record) / 4);
    spilled_bytes = shuffled.spilled_bytes;
    return shuffled.groups;
  });
  state.counters["spilled_mb"] = static_cast<double>(spilled_bytes) / 1e6;
}
BENCHMARK(shuffle_spilled)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void sort_plain(benchmark::State& state) {
  time_groups(state, by_plain_sort);
}
BENCHMARK(sort_plain)->Unit(benchmark::kMillisecond)->UseRealTime();

void sort_vq(benchmark::State& state) {
  time_groups(state, by_vqsort);
}
BENCHMARK(sort_vq)->Unit(benchmark::kMillisecond)->UseRealTime();

void sort_tbb(benchmark::State& state) {
  time_groups(state, [&] { return by_tbb_sort(static_cast<unsigned>(state.range(0))); });
}
BENCHMARK(sort_tbb)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
