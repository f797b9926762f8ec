// Tests of the shuffle beyond its memory. The oracle is std::sort, as in memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <compare>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "refrain/error.h"
#include "store/shuffle.h"
#include "store/test_shuffle_records.h"
#include "world.h"

namespace refrain::store {
namespace {

namespace fs = std::filesystem;

// A record of any width: a key of 32 bits, and bytes that fill it up.
template <std::size_t kBytes>
struct Wide {
  std::uint32_t key;
  std::array<std::uint8_t, kBytes - 4> rest;
  friend auto operator<=>(const Wide&, const Wide&) = default;
};

// A budget that has exactly `left` bytes for the shuffle.
class TightBudget {
 public:
  TightBudget(const Context& context, std::uint64_t left)
      : budget_(context), rest_(budget_.reserve(budget_.available() - left, "the rest")) {}
  MemoryBudget& operator*() { return budget_; }

 private:
  MemoryBudget budget_;
  Reservation rest_;
};

// Writes records from `threads` threads.
template <class S, class Records>
void write(S& shuffle, const Records& records, unsigned threads) {
  run_workers(threads, [&](unsigned worker) {
    auto writer = shuffle.writer();
    for (std::size_t i = worker; i < records.size(); i += threads) writer.add(records[i]);
  });
}

// Everything that for_each_run() delivers, in order; checks the runs on the way.
template <class R, class S>
std::vector<R> read(const S& shuffle, const Context& context, std::size_t run_records = SIZE_MAX) {
  std::vector<std::vector<R>> out(shuffle.partitions());
  std::vector<std::uint8_t> open(shuffle.partitions(), 0);
  shuffle.for_each_run(context, [&](unsigned worker, std::size_t partition, const refrain::store::Run<R>& run) {
    EXPECT_LT(worker, context.threads);
    EXPECT_LE(run.records.size(), run_records);
    EXPECT_FALSE(run.records.empty());
    EXPECT_EQ(run.first, open[partition] == 0);
    if (!run.first) {
      EXPECT_EQ(out[partition].back().key, run.key);
    } else if (!out[partition].empty()) {
      EXPECT_LT(out[partition].back().key, run.key);
    }
    EXPECT_TRUE(std::all_of(run.records.begin(), run.records.end(), [&](const R& r) { return r.key == run.key; }));
    out[partition].insert(out[partition].end(), run.records.begin(), run.records.end());
    open[partition] = run.last ? 0 : 1;
  });
  EXPECT_EQ(std::count(open.begin(), open.end(), 1), 0) << "a group without a last run";
  std::vector<R> all;
  for (const auto& part : out) all.insert(all.end(), part.begin(), part.end());
  return all;
}

struct Keys {
  const char* name;
  std::function<std::uint64_t(std::uint64_t random, std::size_t i)> key;
};

class SpillTest : public testing::TestWithParam<Keys> {};

TEST_P(SpillTest, GivesTheSameGroupsForAnyMemoryAndThreads) {
  std::mt19937_64 random(7);
  std::vector<Record> records(100'000);
  for (std::size_t i = 0; i < records.size(); ++i) records[i] = {GetParam().key(random(), i), i};
  std::vector<Record> sorted = records;
  std::sort(sorted.begin(), sorted.end());
  for (const unsigned threads : {1U, 2U, 3U, 8U})
    for (const std::uint64_t memory : {threads * kMiB / 2, threads * kMiB, 32 * kMiB})
      for (const std::size_t expected : {std::size_t{0}, records.size(), 50 * records.size()}) {
        const Context context = with_threads(threads);
        TightBudget budget(context, memory);
        TempSpace temp(context);
        const std::size_t run_records = expected == 0 ? 777 : SIZE_MAX;
        {
          Shuffle<Record, KeyOf> shuffle({.expected_records = expected,
                                          .order_values = true,
                                          .run_records = run_records,
                                          .temp = &temp,
                                          .memory_bytes = memory},
                                         *budget);
          write(shuffle, records, threads);
          EXPECT_EQ(shuffle.size(), records.size());
          ASSERT_TRUE(read<Record>(shuffle, context, run_records) == sorted)
              << threads << " threads, " << memory << " expected " << expected;
          ASSERT_TRUE(read<Record>(shuffle, context, run_records) == sorted) << "the second time";
          EXPECT_EQ(shuffle.spilled_bytes() != 0, temp.peak_bytes() != 0);
          if (memory < records.size() * sizeof(Record)) {
            EXPECT_NE(shuffle.spilled_bytes(), 0U);
          } else if (memory == 32 * kMiB) {
            EXPECT_EQ(shuffle.spilled_bytes(), 0U);
          }
        }
        EXPECT_EQ(temp.bytes(), 0U);
      }
}

INSTANTIATE_TEST_SUITE_P(
    Keys, SpillTest,
    testing::Values(Keys{"random", [](std::uint64_t r, std::size_t) { return r; }},
                    Keys{"equal", [](std::uint64_t, std::size_t) { return std::uint64_t{42} << 50U; }},
                    Keys{"two", [](std::uint64_t r, std::size_t) { return r % 2 << 63U; }},
                    Keys{"ascending", [](std::uint64_t, std::size_t i) { return std::uint64_t{i}; }},
                    Keys{"descending", [](std::uint64_t, std::size_t i) { return ~std::uint64_t{i << 30U}; }},
                    Keys{"skewed", [](std::uint64_t r, std::size_t i) { return i % 10 != 0 ? 1U : r; }}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(ShuffleSpill, TakesNothingAndOneRecord) {
  for (const std::size_t count : {0U, 1U}) {
    const Context context = with_threads(2);
    MemoryBudget budget(context);
    TempSpace temp(context);
    Shuffle<Record, KeyOf> shuffle({.order_values = true, .temp = &temp, .memory_bytes = kMiB}, budget);
    const std::vector<Record> records(count, Record{3, 4});
    write(shuffle, records, 2);
    EXPECT_EQ(read<Record>(shuffle, context), records);
    EXPECT_EQ(shuffle.spilled_bytes(), 0U);
  }
}

// The records take eighty times the memory: thousands of frames, partitions that do not fit, merges in several
// rounds.
TEST(ShuffleSpill, SortsEightyTimesItsMemory) {
#ifdef __SANITIZE_THREAD__
  constexpr std::size_t kRecords = 500'000;  // TSan is twenty times as slow
#else
  constexpr std::size_t kRecords = 5'000'000;
#endif
  for (const bool equal : {false, true}) {
    std::mt19937_64 random(1);
    std::vector<Record> records(kRecords);
    for (std::size_t i = 0; i < records.size(); ++i) records[i] = {equal ? 5 : random(), i};
    const Context context = with_threads(2);
    TightBudget budget(context, kMiB);
    TempSpace temp(context);
    Shuffle<Record, KeyOf> shuffle(
        {.expected_records = records.size(), .order_values = true, .temp = &temp, .memory_bytes = kMiB}, *budget);
    write(shuffle, records, 2);
    std::sort(records.begin(), records.end());
    EXPECT_TRUE(read<Record>(shuffle, context) == records);
  }
}

template <std::size_t kBytes>
void check_width() {
  using R = Wide<kBytes>;
  std::mt19937_64 random(kBytes);
  std::vector<R> records(80'000);
  for (R& record : records) {
    record.key = static_cast<std::uint32_t>(random() % 40'000 << 16U);
    for (std::uint8_t& byte : record.rest) byte = static_cast<std::uint8_t>(random() % 3);
  }
  const Context context = with_threads(2);
  // With 9 MiB, frames are compressed, and the records written last may stay in memory.
  for (const std::uint64_t memory : {kMiB, 9 * kMiB}) {
    TightBudget budget(context, memory);
    TempSpace temp(context);
    Shuffle<R, KeyOf> shuffle(
        {.key_bits = 32, .expected_records = 100'000, .order_values = true, .temp = &temp, .memory_bytes = memory},
        *budget);
    std::vector<R> all;
    while (shuffle.spilled_bytes() < kMiB / 2) {
      write(shuffle, records, 2);
      all.insert(all.end(), records.begin(), records.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_TRUE(read<R>(shuffle, context) == all) << kBytes << " bytes";
    if (memory != kMiB) {
      EXPECT_LT(shuffle.spilled_bytes(), all.size() * sizeof(R) * 3 / 4);
    }
  }
}

TEST(ShuffleSpill, TakesRecordsOfAnyWidth) {
  check_width<12>();
  check_width<20>();
  check_width<64>();
}

struct Short {
  std::uint32_t rest;
  std::uint32_t value;
  friend auto operator<=>(const Short&, const Short&) = default;
};
struct RestOf {
  std::uint64_t operator()(const Short& record) const { return record.rest; }
};

TEST(ShuffleSpill, GroupsByTheRestOfTheKeyInsideAPartition) {
  const Context context = with_threads(2);
  for (const std::uint64_t memory : {2 * kMiB, 64 * kMiB}) {
    MemoryBudget budget(context);
    TempSpace temp(context);
    Shuffle<Short, RestOf> shuffle(
        {.key_bits = 40, .expected_records = 1'000'000, .order_values = true, .temp = &temp, .memory_bytes = memory},
        budget);
    ASSERT_GE(shuffle.partition_bits(), 1U);
    const unsigned rest_bits = 40 - shuffle.partition_bits();
    std::mt19937_64 random(3);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> expected;
    {
      auto writer = shuffle.writer();
      for (std::uint32_t i = 0; i < 1'000'000; ++i) {
        const std::uint64_t key = random() % (std::uint64_t{1} << 18U) << 22U;
        const std::uint64_t rest = (key & ((std::uint64_t{1} << rest_bits) - 1)) >> 8U;
        expected.emplace_back(key, i);
        writer.add_to(shuffle.partition_of(key), {static_cast<std::uint32_t>(rest), i});
      }
    }
    std::sort(expected.begin(), expected.end());
    std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>> out(shuffle.partitions());
    shuffle.for_each_run(context, [&](unsigned, std::size_t partition, const refrain::store::Run<Short>& run) {
      for (const Short& record : run.records)
        out[partition].emplace_back(partition << rest_bits | std::uint64_t{record.rest} << 8U, record.value);
    });
    std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
    for (const auto& part : out) all.insert(all.end(), part.begin(), part.end());
    EXPECT_TRUE(all == expected);
  }
}

// Rows of n words and a place, ordered by the first word, then as bytes.
TEST(ShuffleSpill, TakesRowsWhoseWidthOnlyTheRunKnows) {
  const auto key_of = [](std::span<const std::byte> row) {
    std::uint32_t word = 0;
    std::memcpy(&word, row.data(), sizeof word);
    return std::uint64_t{word};
  };
  using Row = std::vector<std::byte>;
  for (const std::size_t row_bytes : {12U, 28U, 100U})
    for (const std::uint32_t distinct : {2U, 5000U}) {
      std::mt19937_64 random(row_bytes);
      std::vector<Row> rows(60'000, Row(row_bytes));
      for (Row& row : rows) {
        const auto word = static_cast<std::uint32_t>(random() % distinct << 12U);
        for (std::byte& byte : row) byte = static_cast<std::byte>(random() % 2 * 255);
        std::memcpy(row.data(), &word, sizeof word);
      }
      std::vector<Row> sorted = rows;
      std::sort(sorted.begin(), sorted.end(),
                [&](const Row& a, const Row& b) { return key_of(a) != key_of(b) ? key_of(a) < key_of(b) : a < b; });
      for (const std::uint64_t memory : {kMiB, 8 * kMiB, 64 * kMiB}) {
        const Context context = with_threads(2);
        TightBudget budget(context, memory);
        TempSpace temp(context);
        RowShuffle<> shuffle(row_bytes,
                             {.key_bits = 32,
                              .expected_records = rows.size(),
                              .order_values = true,
                              .run_records = 1000,
                              .temp = &temp,
                              .memory_bytes = memory},
                             *budget, key_of);
        write(shuffle, rows, 2);
        EXPECT_EQ(shuffle.spilled_bytes() == 0, rows.size() * row_bytes < memory / 2);
        std::vector<std::vector<Row>> out(shuffle.partitions());
        shuffle.for_each_run(context, [&](unsigned, std::size_t partition, const RowRun& run) {
          EXPECT_LE(run.size, 1000U);
          for (std::size_t i = 0; i < run.size; ++i) {
            EXPECT_EQ(key_of(run[i]), run.key);
            out[partition].emplace_back(run[i].begin(), run[i].end());
          }
        });
        std::vector<Row> all;
        for (const auto& part : out) all.insert(all.end(), part.begin(), part.end());
        ASSERT_TRUE(all == sorted) << row_bytes << " bytes a row, " << memory;
      }
    }
}

TEST(ShuffleSpill, IsSortingForAnyInput) {
  rc::check("the shuffle gives out what std::sort does", [] {
    const auto threads = *rc::gen::inRange(1U, 5U);
    const auto key_bits = *rc::gen::inRange(0U, 65U);
    const auto distinct = *rc::gen::element<std::uint64_t>(1, 2, 10, 1000, UINT64_MAX);
    const auto count = *rc::gen::inRange<std::size_t>(0, 150'000);
    const auto expected = *rc::gen::element<std::size_t>(0, count, 1'000'000'000);
    const auto memory = threads * *rc::gen::inRange<std::uint64_t>(kMiB / 2, 4 * kMiB);
    const bool order = *rc::gen::arbitrary<bool>();
    const auto run_records = *rc::gen::element<std::size_t>(1, 100, SIZE_MAX);
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::vector<Record> records(count);
    for (std::size_t i = 0; i < count; ++i)
      records[i] = {key_bits == 0 ? 0 : random() % distinct << (64 - key_bits) >> (64 - key_bits), i};
    const Context context = with_threads(threads);
    TightBudget budget(context, memory);
    TempSpace temp(context);
    Shuffle<Record, KeyOf> shuffle({.key_bits = key_bits,
                                    .expected_records = std::min<std::size_t>(expected, 100'000'000),
                                    .order_values = order,
                                    .run_records = run_records,
                                    .temp = &temp,
                                    .memory_bytes = memory},
                                   *budget);
    write(shuffle, records, threads);
    std::vector<Record> all = read<Record>(shuffle, context, run_records);
    RC_ASSERT(std::is_sorted(all.begin(), all.end(), [](const Record& a, const Record& b) { return a.key < b.key; }));
    if (!order) std::sort(all.begin(), all.end());
    std::sort(records.begin(), records.end());
    RC_ASSERT(static_cast<bool>(all == records));
  });
}

TEST(ShuffleSpill, GoesOnWithTheMemoryOfWritersThatAreGone) {
  const Context context = with_threads(4);
  TightBudget budget(context, 2 * kMiB);
  TempSpace temp(context);
  Shuffle<Record, KeyOf> shuffle({.order_values = true, .temp = &temp, .memory_bytes = 2 * kMiB}, *budget);
  std::vector<Record> records;
  for (std::uint64_t round = 0; round < 500; ++round) {
    auto writer = shuffle.writer();
    for (std::uint64_t i = 0; i < 1000; ++i) writer.add(records.emplace_back(Record{i << 54U, round}));
  }
  std::sort(records.begin(), records.end());
  EXPECT_TRUE(read<Record>(shuffle, context) == records);
}

// The files in the temporary folder have no names, but this process has them open.
std::vector<std::string> open_temporary_files(const fs::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entry.path(), gone).string();
    if (target.starts_with(folder.string() + "/") && target.ends_with("(deleted)")) found.push_back(entry.path());
  }
  return found;
}

TEST(ShuffleSpill, NoticesEveryByteThatChangedOnDisk) {
  const World world;
  Context context = with_threads(1);
  context.temp_dir = world.folder();
  for (const std::uint64_t memory : {kMiB, 5 * kMiB}) {  // plain frames, compressed frames
    MemoryBudget budget(context);
    TempSpace temp(context);
    Shuffle<Record, KeyOf> shuffle({.temp = &temp, .memory_bytes = memory}, budget);
    std::vector<Record> records(300'000);
    for (std::size_t i = 0; i < records.size(); ++i) records[i] = {i * 0x9E3779B97F4A7C15U, i};
    write(shuffle, records, 1);
    EXPECT_EQ(read<Record>(shuffle, context).size(), records.size());
    const std::vector<std::string> files = open_temporary_files(world.folder());
    ASSERT_EQ(files.size(), 1U);
    const int fd = open(files[0].c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    std::mt19937_64 random(1);
    for (std::uint64_t at = 0; at < shuffle.spilled_bytes(); at += at < 24 ? 1 : random() % 300'000) {
      char byte = 0;
      ASSERT_EQ(pread(fd, &byte, 1, static_cast<off_t>(at)), 1);
      const auto flipped = static_cast<char>(byte ^ 4);
      ASSERT_EQ(pwrite(fd, &flipped, 1, static_cast<off_t>(at)), 1);
      try {
        shuffle.for_each_run(context, [](unsigned, std::size_t, const refrain::store::Run<Record>&) {});
        ADD_FAILURE() << "byte " << at << " of " << shuffle.spilled_bytes() << " changed, and nobody noticed";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Errc::corrupt) << error.what();
      }
      ASSERT_EQ(pwrite(fd, &byte, 1, static_cast<off_t>(at)), 1);
    }
    close(fd);
  }
  EXPECT_TRUE(open_temporary_files(world.folder()).empty());
  EXPECT_TRUE(fs::is_empty(world.folder()));
}

TEST(ShuffleSpill, StopsWhenItIsAskedTo) {
  std::stop_source stop;
  Context context = with_threads(1);
  context.stop = stop.get_token();
  MemoryBudget budget(context);
  TempSpace temp(context);
  Shuffle<Record, KeyOf> shuffle({.temp = &temp, .memory_bytes = kMiB}, budget);
  write(shuffle, std::vector<Record>(200'000, Record{1, 2}), 1);
  std::size_t runs = 0;
  try {
    shuffle.for_each_run(context, [&](unsigned, std::size_t, const refrain::store::Run<Record>&) {
      ++runs;
      stop.request_stop();
    });
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::interrupted);
  }
  EXPECT_LT(runs, 100U);
}

// A file system of 8 MiB.
class ShuffleFullDisk : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(disk_);
    if (geteuid() != 0 || mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=8m") != 0)
      GTEST_SKIP() << "not root: cannot make a small disk";
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) umount(disk_.c_str());
  }
  const World world_;
  const std::string disk_ = world_.at("disk");
  bool mounted_ = false;
};

TEST_F(ShuffleFullDisk, IsAnErrorThatLeavesNothing) {
  Context context = with_threads(2);
  context.temp_dir = disk_;
  for (const std::size_t expected : {0U, 2'000'000U}) {
    MemoryBudget budget(context);
    TempSpace temp(context);
    try {
      Shuffle<Record, KeyOf> shuffle({.what = "the test records",
                                      .expected_records = expected,
                                      .order_values = true,
                                      .temp = &temp,
                                      .memory_bytes = 2 * kMiB},
                                     budget);
      std::vector<Record> records(2'000'000);
      for (std::size_t i = 0; i < records.size(); ++i) records[i] = {i * 0x9E3779B97F4A7C15U, i};
      write(shuffle, records, 2);
      FAIL() << "32 MB went onto 8 MiB";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::over_budget);
      const std::string message = error.what();
      // If the number is known, nothing is written at all.
      EXPECT_EQ(message.find("the test records need about 30.6 MiB") != std::string::npos, expected != 0) << message;
      EXPECT_EQ(temp.peak_bytes() == 0, expected != 0);
    }
    EXPECT_EQ(temp.bytes(), 0U);
    EXPECT_TRUE(fs::is_empty(disk_));
    EXPECT_GT(fs::space(disk_).available, 7 * kMiB);
  }
}

}  // namespace
}  // namespace refrain::store
