#include "store/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include "refrain/error.h"
#include "store/test_shuffle_records.h"

namespace refrain::store {
namespace {

struct Case {
  const char* name;
  unsigned key_bits;
  std::size_t records;
  std::uint64_t distinct;  // 0: any key
};

std::vector<Record> make_records(const Case& c) {
  std::mt19937_64 random(c.records);
  std::vector<Record> records(c.records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::uint64_t any = c.key_bits == 0 ? 0 : random() >> (64 - c.key_bits);
    records[i] = {c.distinct == 0 ? any : any % c.distinct, i};
  }
  return records;
}

class ShuffleTest : public testing::TestWithParam<Case> {};

// The oracle is the slow, obvious version: sort everything.
TEST_P(ShuffleTest, GivesEveryGroupWholeAndInOrder) {
  const Case& c = GetParam();
  const std::vector<Record> records = make_records(c);
  std::vector<Record> sorted = records;
  std::sort(sorted.begin(), sorted.end());
  for (const unsigned threads : {1U, 2U, 3U, 8U})
    for (const std::size_t run_records : {std::size_t{1000}, SIZE_MAX})
      for (const std::size_t expected : {std::size_t{0}, c.records, 100 * c.records}) {
        const Context context = with_threads(threads);
        MemoryBudget budget(context);
        Shuffle<Record, KeyOf> shuffle(
            {.key_bits = c.key_bits, .expected_records = expected, .order_values = true, .run_records = run_records},
            budget);
        run_workers(threads, [&](unsigned worker) {
          auto writer = shuffle.writer();
          for (std::size_t i = worker; i < records.size(); i += threads) writer.add(records[i]);
        });
        std::vector<std::vector<Record>> out(shuffle.partitions());
        std::vector<std::uint8_t> open(shuffle.partitions(), 0);
        shuffle.for_each_run(context,
                             [&](unsigned worker, std::size_t partition, const refrain::store::Run<Record>& run) {
                               EXPECT_LT(worker, threads);
                               EXPECT_LE(run.records.size(), run_records);
                               EXPECT_EQ(run.first, open[partition] == 0);
                               if (!run.first) {
                                 EXPECT_EQ(out[partition].back().key, run.key);
                               } else if (!out[partition].empty()) {
                                 EXPECT_LT(out[partition].back().key, run.key);
                               }
                               for (const Record& record : run.records) {
                                 EXPECT_EQ(record.key, run.key);
                                 out[partition].push_back(record);
                               }
                               open[partition] = run.last ? 0 : 1;
                             });
        std::vector<Record> all;
        for (const auto& part : out) all.insert(all.end(), part.begin(), part.end());
        ASSERT_EQ(all, sorted) << threads << " threads";
        EXPECT_EQ(shuffle.partition_begins().back(), records.size());
      }
}

INSTANTIATE_TEST_SUITE_P(Keys, ShuffleTest,
                         testing::Values(Case{"none", 64, 0, 0}, Case{"one", 64, 1, 0}, Case{"random", 64, 50000, 0},
                                         Case{"narrow", 11, 50000, 0}, Case{"skewed", 64, 50000, 3},
                                         Case{"equal", 16, 50000, 1}, Case{"no_bits", 0, 3000, 1}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Shuffle, WithoutOrderStillGivesWholeGroups) {
  const Context context = with_threads(3);
  MemoryBudget budget(context);
  Shuffle<Record, KeyOf> shuffle({.expected_records = 100000}, budget);
  std::map<std::uint64_t, std::set<std::uint64_t>> expected;
  std::mt19937_64 random(5);
  {
    auto writer = shuffle.writer();
    for (std::uint64_t i = 0; i < 100000; ++i) {
      const Record record{random() % 1000 << 50U, i};
      writer.add(record);
      expected[record.key].insert(record.value);
    }
  }
  std::map<std::uint64_t, std::set<std::uint64_t>> got;
  std::mutex mutex;
  shuffle.for_each_run(context,
                       [&](unsigned /*worker*/, std::size_t /*partition*/, const refrain::store::Run<Record>& run) {
                         const std::lock_guard lock(mutex);
                         EXPECT_FALSE(got.contains(run.key));
                         for (const Record& record : run.records) got[run.key].insert(record.value);
                       });
  EXPECT_EQ(got, expected);
}

TEST(Shuffle, RefusesWhatTheBudgetDoesNotHold) {
  Context context = with_threads(1);
  context.memory_bytes = kMinMemoryBytes;
  MemoryBudget budget(context);
  Shuffle<Record, KeyOf> shuffle({.what = "the test records", .expected_records = 10'000'000}, budget);
  auto writer = shuffle.writer();
  try {
    for (std::uint64_t i = 0; i < 10'000'000; ++i) writer.add({i * 0x9E3779B97F4A7C15U, i});
    FAIL() << "160 MB went into 64 MiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget);
    EXPECT_NE(std::string(error.what()).find("the test records"), std::string::npos);
  }
}

TEST(Shuffle, GivesItsMemoryBack) {
  const Context context = with_threads(2);
  MemoryBudget budget(context);
  const std::uint64_t before = budget.available();
  {
    Shuffle<Record, KeyOf> shuffle({.expected_records = 1000}, budget);
    auto writer = shuffle.writer();
    for (std::uint64_t i = 0; i < 1000; ++i) writer.add({i << 54U, i});
    EXPECT_LT(budget.available(), before);
  }
  EXPECT_EQ(budget.available(), before);
}

}  // namespace
}  // namespace refrain::store
