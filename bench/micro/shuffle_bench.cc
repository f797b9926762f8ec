// The shuffle: 10 M records of 16 bytes brought together by their keys (about four a key), against std::sort and a loop
// over the sorted records. The groups of both are compared before anything is timed.
//
//   build/release/bench/shuffle_bench       BENCH_SCALE=0.1 for a tenth of the records
//
//   shuffle/1, shuffle/2     with one and with two threads; writing and reading
//   sort_plain               std::sort in one thread, then the groups
#include <benchmark/benchmark.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/budget.h"
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

// What is said of all groups together; the order of groups, and of records in a group, does not show.
struct Groups {
  std::uint64_t groups = 0;
  std::uint64_t records = 0;
  std::uint64_t checksum = 0;

  void add(std::uint64_t key, std::span<const Record> group) {
    std::uint64_t sum = 0;
    for (const Record& record : group) sum += record.value;
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

Groups by_sorting() {
  std::vector<Record> records = input();
  std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.key < b.key; });
  Groups all;
  for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
    while (end < records.size() && records[end].key == records[begin].key) ++end;
    all.add(records[begin].key, std::span(records).subspan(begin, end - begin));
  }
  return all;
}

Groups by_shuffling(unsigned threads) {
  refrain::Context context;
  context.threads = threads;
  context.memory_bytes = std::uint64_t{2} << 30;
  refrain::MemoryBudget budget(context);
  refrain::ShuffleOptions options;
  options.expected_records = input().size();
  refrain::Shuffle<Record, KeyOf> shuffle(options, budget);
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
  shuffle.for_each_run(context, [&](unsigned worker, std::size_t, const refrain::Run<Record>& run) {
    each[worker].groups.add(run.key, run.records);  // groups are whole: run_records is not limited
  });
  Groups all;
  for (const OwnLine& one : each) {
    all.groups += one.groups.groups;
    all.records += one.groups.records;
    all.checksum += one.groups.checksum;
  }
  return all;
}

void shuffle(benchmark::State& state) {
  const auto threads = static_cast<unsigned>(state.range(0));
  const Groups expected = by_sorting();
  if (expected.records != input().size() || by_shuffling(threads) != expected) {
    state.SkipWithError("the groups differ from those of the sorted records");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(by_shuffling(threads));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * input().size()));
}
BENCHMARK(shuffle)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void sort_plain(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(by_sorting());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * input().size()));
}
BENCHMARK(sort_plain)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
