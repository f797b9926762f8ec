#include "store/shuffle_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "store/shuffle.h"
#include "store/test_shuffle_records.h"

namespace refrain::store {
namespace {

TEST(NumberLayout, SortsAsTheStandardLibraryDoes) {
  std::mt19937_64 random(3);
  for (const std::size_t size : {0, 1, 2, 3, 7, 8, 9, 100, 1000, 100000})
    for (const unsigned bits : {1U, 8U, 40U, 64U}) {
      std::vector<std::uint64_t> numbers(size);
      for (std::uint64_t& number : numbers) number = random() >> (64 - bits);
      std::vector<std::uint64_t> expected = numbers;
      std::ranges::sort(expected);
      sort_numbers(numbers);
      ASSERT_EQ(numbers, expected) << size << " of " << bits << " bits";
    }
}

// The groups are the same as for records of two fields, which are compared by operator<.
TEST(NumberLayout, GroupsAsOtherRecordsDo) {
  constexpr unsigned kShift = 40;
  for (const unsigned threads : {1U, 3U}) {
    const Context context = with_threads(threads);
    MemoryBudget budget(context);
    ShuffleOptions options;
    options.what = "numbers";
    options.key_bits = 64 - kShift;
    options.order_values = true;
    Shuffle<std::uint64_t, HighBits, NumberLayout> numbers(options, budget, HighBits{kShift});
    std::mt19937_64 random(4);
    std::vector<std::uint64_t> expected;
    {
      auto writer = numbers.writer();
      for (int i = 0; i < 200000; ++i) {
        expected.push_back((random() % 5000) << kShift | random() % 1000);
        writer.add(expected.back());
      }
    }
    std::ranges::sort(expected);
    std::vector<std::vector<std::uint64_t>> found(numbers.partitions());
    numbers.for_each_run(context, [&](unsigned, std::size_t partition, const store::Run<std::uint64_t>& run) {
      for (const std::uint64_t number : run.records) {
        ASSERT_EQ(number >> kShift, run.key);
        found[partition].push_back(number);
      }
    });
    std::vector<std::uint64_t> all;
    for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
    ASSERT_EQ(all, expected);
  }
}

}  // namespace
}  // namespace refrain::store
