// Tests of reading the shuffle for the last time: draining, spilling, and adding to a given partition. The oracle is
// a std::map.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <numeric>
#include <random>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "refrain/error.h"
#include "store/shuffle.h"
#include "store/test_shuffle_records.h"
#include "world.h"

namespace refrain::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRunRecords = 500;

// Keys have 32 bits and values 24, so that every kind of record has room for both.
constexpr unsigned kKeyBits = 32;
constexpr unsigned kValueBits = 24;

struct Pair {
  std::uint64_t key;
  std::uint64_t value;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};
using Groups = std::map<std::uint64_t, std::vector<std::uint64_t>>;

// ---- the kinds of records

struct Fixed {
  struct KeyOf {
    std::uint64_t operator()(const Pair& record) const { return record.key; }
  };
  using S = Shuffle<Pair, KeyOf>;
  static S make(ShuffleOptions options, MemoryBudget& budget) { return S(std::move(options), budget); }
  static Pair record(const Pair& pair) { return pair; }
  static std::size_t size(const Run<Pair>& run) { return run.records.size(); }
  static Pair pair(const Run<Pair>& run, std::size_t i) { return run.records[i]; }
};

// A single number, sorted as such: see sort_all in shuffle_group.h.
struct Packed {
  struct KeyOf {
    std::uint64_t operator()(std::uint64_t record) const { return record >> kValueBits; }
  };
  struct Layout : FixedLayout<std::uint64_t> {
    static void sort_all(std::uint64_t* begin, std::size_t size) { std::sort(begin, begin + size); }
  };
  using S = Shuffle<std::uint64_t, KeyOf, Layout>;
  static S make(ShuffleOptions options, MemoryBudget& budget) { return S(std::move(options), budget); }
  static std::uint64_t record(const Pair& pair) { return pair.key << kValueBits | pair.value; }
  static std::size_t size(const Run<std::uint64_t>& run) { return run.records.size(); }
  static Pair pair(const Run<std::uint64_t>& run, std::size_t i) {
    return {run.records[i] >> kValueBits, run.records[i] & ((std::uint64_t{1} << kValueBits) - 1)};
  }
};

// Rows of 20 bytes, a width that does not divide blocks of a power of two evenly.
struct ByteRows {
  static std::uint64_t number(std::span<const std::byte> bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}, [](std::uint64_t sum, std::byte byte) {
      return sum << 8U | std::to_integer<unsigned>(byte);
    });
  }
  struct KeyOf {
    std::uint64_t operator()(std::span<const std::byte> row) const { return number(row.subspan(4, 8)); }
  };
  using Row = std::array<std::byte, 20>;
  using S = RowShuffle<KeyOf>;
  static S make(ShuffleOptions options, MemoryBudget& budget) { return S(sizeof(Row), std::move(options), budget); }
  static Row record(const Pair& pair) {
    Row row{};
    for (unsigned i = 0; i < 8; ++i) {
      row[11 - i] = static_cast<std::byte>(pair.key >> 8 * i);
      row[19 - i] = static_cast<std::byte>(pair.value >> 8 * i);
    }
    return row;
  }
  static std::size_t size(const RowRun& run) { return run.size; }
  static Pair pair(const RowRun& run, std::size_t i) {
    return {number(run[i].subspan(4, 8)), number(run[i].subspan(12))};
  }
};

// ---- the input

struct Shape {
  const char* name;
  std::vector<Pair> pairs;
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> made = [] {
    std::mt19937_64 random(17);
    const auto many = [](auto key) {
      std::vector<Pair> pairs(60'000);
      for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {key(i), i};
      return pairs;
    };
    return std::vector<Shape>{
        {"nothing", {}},
        {"one record", {{0x12345678, 9}}},
        {"equal keys", many([](std::size_t) { return 0xABCDEF01U; })},
        {"random keys", many([&](std::size_t) { return random() >> 32U; })},
        {"skewed keys", many([&](std::size_t i) { return i % 8 != 0 ? 0xFFFFFFFFU : random() % 1000 << 22U; })}};
  }();
  return made;
}

Groups groups_of(const std::vector<Pair>& pairs) {
  Groups groups;
  for (const Pair& pair : pairs) groups[pair.key].push_back(pair.value);
  for (auto& [key, values] : groups) std::sort(values.begin(), values.end());
  return groups;
}

Context with_threads(unsigned threads) {
  Context context;
  context.threads = threads;
  context.memory_bytes = std::uint64_t{1} << 30U;
  return context;
}

ShuffleOptions options_of(std::size_t expected, TempSpace* temp, std::uint64_t memory) {
  return {.what = "the test records",
          .key_bits = kKeyBits,
          .expected_records = expected,
          .partition_records = 1000,
          .order_values = true,
          .run_records = kRunRecords,
          .temp = temp,
          .memory_bytes = memory};
}

template <class Kind>
void write(typename Kind::S& shuffle, const std::vector<Pair>& pairs, unsigned threads) {
  run_workers(threads, [&](unsigned worker) {
    auto writer = shuffle.writer();
    for (std::size_t i = worker; i < pairs.size(); i += threads) writer.add(Kind::record(pairs[i]));
  });
}

// ---- the output

// Collects runs and checks the guarantees of the shuffle. Partitions come from different threads, but each from one.
template <class Kind>
class RunCollector {
 public:
  explicit RunCollector(std::size_t partitions) : partitions_(partitions) {}

  template <class R>
  void operator()(std::size_t partition, const R& run) {
    Partition& mine = partitions_.at(partition);
    const std::size_t size = Kind::size(run);
    EXPECT_GT(size, 0U);
    EXPECT_LE(size, kRunRecords);
    EXPECT_EQ(run.first, !mine.open);
    if (!mine.groups.empty()) {
      EXPECT_LE(mine.groups.rbegin()->first, run.key);
      EXPECT_EQ(mine.groups.rbegin()->first != run.key, run.first);
    }
    std::vector<std::uint64_t>& values = mine.groups[run.key];
    std::size_t other_keys = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const Pair pair = Kind::pair(run, i);
      other_keys += pair.key != run.key ? 1 : 0;
      values.push_back(pair.value);
    }
    EXPECT_EQ(other_keys, 0U) << "of other keys";
    mine.open = !run.last;
  }

  void forget(std::size_t partition) { partitions_[partition] = {}; }
  const Groups& groups(std::size_t partition) const { return partitions_[partition].groups; }

  // Returns all groups. No group may come from two partitions or lack its last run.
  Groups all() const {
    Groups groups;
    std::size_t count = 0;
    for (const Partition& partition : partitions_) {
      EXPECT_FALSE(partition.open) << "a group without a last run";
      groups.insert(partition.groups.begin(), partition.groups.end());
      count += partition.groups.size();
    }
    EXPECT_EQ(groups.size(), count) << "a group in two partitions";
    return groups;
  }

 private:
  struct Partition {
    Groups groups;
    bool open = false;
  };
  std::vector<Partition> partitions_;
};

template <class Kind>
void drain(typename Kind::S& shuffle, const Context& context, std::size_t first, std::size_t last, std::uint64_t memory,
           RunCollector<Kind>& taker) {
  shuffle.drain(context, first, last, memory, [&](unsigned worker, std::size_t partition, const auto& run) {
    EXPECT_LT(worker, context.threads);
    EXPECT_GE(partition, first);
    EXPECT_LT(partition, last);
    taker(partition, run);
  });
}

template <class Kind>
class ShuffleDrain : public testing::Test {};
using Kinds = testing::Types<Fixed, Packed, ByteRows>;
struct KindNames {
  template <class Kind>
  static std::string GetName(int) {
    return std::is_same_v<Kind, Fixed> ? "Fixed" : std::is_same_v<Kind, Packed> ? "Packed" : "Rows";
  }
};
TYPED_TEST_SUITE(ShuffleDrain, Kinds, KindNames);

// The records are all in memory, spilled because memory ran out, or spilled on request; they are drained in one
// range, in a few, or in many.
TYPED_TEST(ShuffleDrain, GivesTheGroupsOfAMapAndKeepsNothing) {
  enum class Where { memory, disk, asked };
  for (const Shape& shape : shapes()) {
    const Groups expected = groups_of(shape.pairs);
    for (const unsigned threads : {1U, 3U})
      for (const Where where : {Where::memory, Where::disk, Where::asked})
        for (const std::size_t ranges : {1U, 3U, 1000U}) {
          SCOPED_TRACE(std::string(shape.name) + ", " + std::to_string(threads) + " threads, case " +
                       std::to_string(static_cast<int>(where)) + ", " + std::to_string(ranges) + " ranges");
          const Context context = with_threads(threads);
          MemoryBudget budget(context);
          TempSpace temp(context);
          const std::uint64_t memory = where == Where::disk ? threads * kMiB / 2 : 64 * kMiB;
          {
            auto shuffle = TypeParam::make(options_of(shape.pairs.size(), &temp, memory), budget);
            write<TypeParam>(shuffle, shape.pairs, threads);
            EXPECT_EQ(shuffle.size(), shape.pairs.size());
            if (where == Where::asked) shuffle.spill(context);
            const bool in_memory = shuffle.in_memory(context);
            if (where != Where::disk) {
              EXPECT_EQ(in_memory, where == Where::memory || shape.pairs.empty());
            }
            const std::size_t partitions = shuffle.partitions();
            const std::size_t step = (partitions + ranges - 1) / ranges;
            RunCollector<TypeParam> taker(partitions);
            for (std::size_t first = 0; first < partitions; first += step) {
              const std::size_t last = std::min(first + step, partitions);
              drain(shuffle, context, first, last, memory, taker);
              EXPECT_EQ(shuffle.partition_begins()[last], 0U) << "records are still there";
            }
            EXPECT_EQ(shuffle.size(), 0U);
            EXPECT_TRUE(taker.all() == expected);
            EXPECT_EQ(temp.bytes(), 0U) << "disk that nobody gave back";
            if (in_memory || ranges == 1) {
              EXPECT_EQ(temp.peak_bytes() == 0, in_memory);
            }
          }
          EXPECT_EQ(budget.reserved(), 0U);
          EXPECT_EQ(temp.bytes(), 0U);
        }
  }
}

TYPED_TEST(ShuffleDrain, WithoutADiskIsTheSame) {
  for (const Shape& shape : shapes())
    for (const unsigned threads : {1U, 3U}) {
      const Context context = with_threads(threads);
      MemoryBudget budget(context);
      auto shuffle = TypeParam::make(options_of(shape.pairs.size(), nullptr, 0), budget);
      write<TypeParam>(shuffle, shape.pairs, threads);
      EXPECT_TRUE(shuffle.in_memory(context));
      RunCollector<TypeParam> seen(shuffle.partitions());
      shuffle.for_each_run(context, [&](unsigned, std::size_t partition, const auto& run) { seen(partition, run); });
      RunCollector<TypeParam> drained(shuffle.partitions());
      drain(shuffle, context, 0, shuffle.partitions(), 0, drained);
      EXPECT_TRUE(seen.all() == groups_of(shape.pairs)) << shape.name;
      EXPECT_TRUE(drained.all() == seen.all()) << shape.name;
      EXPECT_EQ(shuffle.size(), 0U);
    }
}

// A consumer that keeps the records needs memory for them while the rest of the shuffle still exists.
TYPED_TEST(ShuffleDrain, GivesMemoryBackRangeByRange) {
  for (const unsigned threads : {1U, 2U}) {
    const Context context = with_threads(threads);
    MemoryBudget budget(context);
    TempSpace temp(context);
    std::mt19937_64 random(5);
    std::vector<Pair> pairs(600'000);
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {random() >> 32U, i};
    ShuffleOptions options = options_of(pairs.size(), &temp, 256 * kMiB);
    options.partition_records = std::size_t{1} << 14U;
    auto shuffle = TypeParam::make(options, budget);
    write<TypeParam>(shuffle, pairs, threads);
    ASSERT_TRUE(shuffle.in_memory(context));
    const std::uint64_t full = budget.reserved();
    const std::uint64_t bytes = pairs.size() * sizeof(TypeParam::record(pairs[0]));
    EXPECT_GE(full, bytes);
    const std::size_t partitions = shuffle.partitions();
    ASSERT_GE(partitions, 16U);
    std::uint64_t least = full;
    std::size_t taken = 0;
    for (std::size_t p = 0; p < partitions; ++p) {
      shuffle.drain(context, p, p + 1, 256 * kMiB,
                    [&](unsigned, std::size_t, const auto& run) { taken += TypeParam::size(run); });
      EXPECT_LT(budget.reserved(), least) << "partition " << p << " of " << partitions;
      least = budget.reserved();
      // Only the ends of blocks and of slabs stay.
      EXPECT_LE(least, full - bytes * (p + 1) / partitions + bytes / 8);
    }
    EXPECT_EQ(taken, pairs.size());
    EXPECT_EQ(temp.peak_bytes(), 0U);
  }
}

TYPED_TEST(ShuffleDrain, GivesDiskBackRangeByRangeAndReadsInItsMemory) {
  for (const unsigned threads : {1U, 3U})
    for (const bool equal : {false, true}) {
      const Context context = with_threads(threads);
      MemoryBudget budget(context);
      TempSpace temp(context);
      std::mt19937_64 random(6);
      std::vector<Pair> pairs(250'000);
      for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {equal ? 77 : random() >> 32U, i};
      auto shuffle = TypeParam::make(options_of(pairs.size(), &temp, 32 * kMiB), budget);
      write<TypeParam>(shuffle, pairs, threads);
      shuffle.spill(context);
      EXPECT_FALSE(shuffle.in_memory(context));
      EXPECT_LT(budget.reserved(), kMiB) << "spilled records still take memory";
      const std::size_t partitions = shuffle.partitions();
      ASSERT_GE(partitions, 4U);
      RunCollector<TypeParam> taker(partitions);
      constexpr std::uint64_t kReading = 4 * kMiB;
      for (std::size_t quarter = 0; quarter < 4; ++quarter) {
        const std::vector<std::size_t> begins = shuffle.partition_begins();
        const std::size_t first = partitions * quarter / 4;
        const std::size_t last = partitions * (quarter + 1) / 4;
        const std::uint64_t disk = temp.bytes();
        budget.reset_peak();
        const std::uint64_t held = budget.reserved();
        drain(shuffle, context, first, last, kReading, taker);
        EXPECT_LE(budget.peak() - held, kReading);
        EXPECT_EQ(budget.reserved(), held) << "reading kept memory";
        EXPECT_EQ(temp.bytes() < disk, begins[last] != begins[first]);
      }
      EXPECT_TRUE(taker.all() == groups_of(pairs));
      EXPECT_EQ(temp.bytes(), 0U);
    }
}

// Partitions that were consumed are gone; the others are as if they had never been read.
TYPED_TEST(ShuffleDrain, LeaksNothingWhereTheConsumerThrows) {
  const World world;
  const fs::path& folder = world.folder();
  const auto open_files = [&] {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      count += fs::read_symlink(entry.path(), gone).string().starts_with(folder.string() + "/") ? 1 : 0;
    }
    return count;
  };
  for (const Shape& shape : shapes()) {
    if (shape.pairs.empty()) continue;
    for (const unsigned threads : {1U, 3U})
      for (const std::uint64_t memory : {threads * kMiB / 2, 64 * kMiB})
        for (const std::size_t fail_after : {std::size_t{0}, shape.pairs.size() / 2}) {
          SCOPED_TRACE(std::string(shape.name) + ", " + std::to_string(threads) + " threads, memory " +
                       std::to_string(memory) + ", after " + std::to_string(fail_after));
          Context context = with_threads(threads);
          context.temp_dir = folder;
          MemoryBudget budget(context);
          TempSpace temp(context);
          {
            auto shuffle = TypeParam::make(options_of(shape.pairs.size(), &temp, memory), budget);
            write<TypeParam>(shuffle, shape.pairs, threads);
            const std::size_t partitions = shuffle.partitions();
            const std::uint64_t held = budget.reserved();
            RunCollector<TypeParam> taker(partitions);
            std::atomic<std::size_t> taken{0};
            struct Enough {};
            EXPECT_THROW(shuffle.drain(context, 0, partitions, memory,
                                       [&](unsigned, std::size_t partition, const auto& run) {
                                         if (taken.fetch_add(TypeParam::size(run)) >= fail_after) throw Enough{};
                                         taker(partition, run);
                                       }),
                         Enough);
            EXPECT_LE(budget.reserved(), held) << "reading kept memory";
            const std::vector<std::size_t> begins = shuffle.partition_begins();
            EXPECT_GT(begins.back(), 0U) << "what was not consumed is gone";
            for (std::size_t p = 0; p < partitions; ++p)
              if (begins[p + 1] != begins[p]) taker.forget(p);
            drain(shuffle, context, 0, partitions, memory, taker);
            EXPECT_TRUE(taker.all() == groups_of(shape.pairs));
            EXPECT_EQ(temp.bytes(), 0U);
          }
          EXPECT_EQ(budget.reserved(), 0U);
          EXPECT_EQ(temp.bytes(), 0U);
          EXPECT_EQ(open_files(), 0U);
          EXPECT_TRUE(fs::is_empty(folder));
        }
  }
}

TYPED_TEST(ShuffleDrain, TakesWhatComesAfterASpill) {
  for (const unsigned threads : {1U, 2U}) {
    const std::vector<Pair>& random = shapes()[3].pairs;
    const std::vector<Pair>& skewed = shapes()[4].pairs;
    std::vector<Pair> both = random;
    both.insert(both.end(), skewed.begin(), skewed.end());
    const Context context = with_threads(threads);
    MemoryBudget budget(context);
    TempSpace temp(context);
    auto shuffle = TypeParam::make(options_of(both.size(), &temp, 16 * kMiB), budget);
    write<TypeParam>(shuffle, random, threads);
    shuffle.spill(context);
    const std::uint64_t spilled = shuffle.spilled_bytes();
    EXPECT_GT(spilled, 0U);
    write<TypeParam>(shuffle, skewed, threads);
    EXPECT_EQ(shuffle.spilled_bytes(), spilled) << "there was memory for these";
    EXPECT_FALSE(shuffle.in_memory(context));
    RunCollector<TypeParam> taker(shuffle.partitions());
    drain(shuffle, context, 0, shuffle.partitions(), 16 * kMiB, taker);
    EXPECT_TRUE(taker.all() == groups_of(both));
    EXPECT_EQ(temp.bytes(), 0U);
  }
}

// The caller chooses a record's partition: the same key in two partitions makes two groups.
TYPED_TEST(ShuffleDrain, KeepsApartWhatWasAddedToDifferentPartitions) {
  for (const unsigned threads : {1U, 2U})
    for (const std::uint64_t memory : {threads * kMiB / 2, 64 * kMiB}) {
      const Context context = with_threads(threads);
      MemoryBudget budget(context);
      TempSpace temp(context);
      constexpr std::size_t kRecords = 120'000;
      auto shuffle = TypeParam::make(options_of(kRecords, &temp, memory), budget);
      const std::size_t partitions = shuffle.partitions();
      ASSERT_GE(partitions, 4U);
      // Partition 0 gets nothing, partition 1 nearly everything.
      const auto partition_of = [&](std::size_t i) { return i % 10 != 0 ? 1 : 1 + i / 10 % (partitions - 1); };
      const auto pair_of = [](std::size_t i) { return Pair{i * 7 % 13, i}; };
      std::vector<Groups> expected(partitions);
      for (std::size_t i = 0; i < kRecords; ++i) expected[partition_of(i)][pair_of(i).key].push_back(i);
      run_workers(threads, [&](unsigned worker) {
        auto writer = shuffle.writer();
        for (std::size_t i = worker; i < kRecords; i += threads)
          writer.add_to(partition_of(i), TypeParam::record(pair_of(i)));
      });
      const std::vector<std::size_t> begins = shuffle.partition_begins();
      EXPECT_EQ(begins[1], 0U);
      EXPECT_EQ(begins.back(), kRecords);
      RunCollector<TypeParam> taker(partitions);
      // From the last to the first, because ranges need not come in order.
      for (std::size_t p = partitions; p-- > 0;) drain(shuffle, context, p, p + 1, memory, taker);
      for (std::size_t p = 0; p < partitions; ++p) EXPECT_TRUE(taker.groups(p) == expected[p]) << p;
      EXPECT_EQ(shuffle.size(), 0U);
      EXPECT_EQ(temp.bytes(), 0U);
    }
}

TYPED_TEST(ShuffleDrain, StopsWhenItIsAskedToAndKeepsTheRest) {
  for (const std::uint64_t memory : {kMiB, 64 * kMiB}) {
    std::stop_source stop;
    Context context = with_threads(2);
    MemoryBudget budget(context);
    TempSpace temp(context);
    const std::vector<Pair>& pairs = shapes()[3].pairs;
    auto shuffle = TypeParam::make(options_of(pairs.size(), &temp, memory), budget);
    write<TypeParam>(shuffle, pairs, 2);
    context.stop = stop.get_token();
    std::atomic<std::size_t> taken{0};
    try {
      shuffle.drain(context, 0, shuffle.partitions(), memory, [&](unsigned, std::size_t, const auto& run) {
        taken += TypeParam::size(run);
        stop.request_stop();
      });
      FAIL() << "it went on";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::interrupted);
    }
    EXPECT_EQ(shuffle.size(), pairs.size() - taken);
    EXPECT_GT(shuffle.size(), 0U);
  }
}

}  // namespace
}  // namespace refrain::store
