#include "base/array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "base/budget.h"
#include "refrain/error.h"

namespace refrain {
namespace {

Context of_memory(std::uint64_t bytes) {
  Context context;
  context.memory_bytes = bytes;
  context.threads = 1;
  return context;
}

TEST(Array, GrowsInPlaceAndCountsExactly) {
  MemoryBudget budget(of_memory(std::uint64_t{1} << 30U));
  const std::uint64_t before = budget.available();
  Array<std::uint64_t> array(budget, "numbers");
  for (std::uint64_t i = 0; i < 3'000'000; ++i) array.push_back(i * i);
  ASSERT_EQ(array.size(), 3'000'000U);
  for (std::uint64_t i = 0; i < array.size(); ++i) ASSERT_EQ(array[i], i * i);
  const std::uint64_t used = before - budget.available();
  EXPECT_GE(used, 3'000'000 * 8U);
  EXPECT_LE(used, 3'000'000 * 10U + (1U << 20U));
  array.resize(10);
  EXPECT_EQ(array[9], 81U);
  EXPECT_LE(before - budget.available(), 1U << 17U);
  const Array<std::uint64_t> moved = std::move(array);
  EXPECT_EQ(moved[3], 9U);
}

// Small arrays are on the heap and large ones are mapped; both behave the same.
TEST(Array, IsAVectorWhateverItsSize) {
  MemoryBudget budget(of_memory(std::uint64_t{1} << 30U));
  struct Three {
    std::array<char, 3> bytes;
    bool operator==(const Three&) const = default;
  };
  const std::uint64_t before = budget.available();
  {
    Array<Three> array(budget, "triples");
    std::vector<Three> twin;
    std::mt19937 random(7);
    const auto value = [&] { return Three{{static_cast<char>(random()), 1, static_cast<char>(random())}}; };
    for (int step = 0; step < 400; ++step) {
      const std::size_t size = std::size_t{1} << random() % 17;  // up to three pages
      if (step % 7 == 0) {
        array.resize(size);
        // Values that were cut off before may reappear; all others are zero.
        for (std::size_t i = twin.size(); i < size; ++i) array[i] = {};
        twin.resize(size);
      } else if (step % 31 == 0) {
        array.resize(0);
        twin.clear();
        EXPECT_EQ(budget.available(), before);
        array.resize(size);
        twin.resize(size);
      } else {
        for (std::size_t i = 0; i < size / 4; ++i) {
          twin.push_back(value());
          array.push_back(twin.back());
        }
        const std::vector<Three> more(size / 8, value());
        array.append(more);
        twin.insert(twin.end(), more.begin(), more.end());
      }
      ASSERT_TRUE(std::equal(array.begin(), array.end(), twin.begin(), twin.end())) << step;
      ASSERT_GE(before - budget.available(), array.size() * sizeof(Three));
    }
  }
  EXPECT_EQ(budget.available(), before);
}

// However the array grows, all of its memory is reserved, and memory that was not used before is zero.
TEST(Array, GrowsByZerosAndReservesWhatItHas) {
  MemoryBudget budget(of_memory(std::uint64_t{1} << 30U));
  const std::uint64_t before = budget.available();
  std::mt19937 random(8);
  for (int round = 0; round < 50; ++round) {
    Array<std::array<std::uint32_t, 6>> array(budget, "numbers");
    const std::size_t most_at_once = std::size_t{1} << random() % 12;
    while (array.size() < 10'000) {
      const std::size_t size = array.size();
      const std::size_t more = 1 + random() % most_at_once;
      if (random() % 4 == 0)
        array.resize(size + more);
      else
        array.append_unset(more);
      for (std::size_t i = size; i < array.size(); ++i) {
        ASSERT_EQ(array[i], (std::array<std::uint32_t, 6>())) << size;
        array[i].fill(7);
      }
      const std::size_t capacity = (before - budget.available()) / sizeof array[0];
      ASSERT_FALSE(array.needs_to_grow(capacity - array.size()));
      ASSERT_TRUE(array.needs_to_grow(capacity - array.size() + 1));
      ASSERT_LE(capacity * sizeof array[0], std::max<std::size_t>(2 * array.size() * sizeof array[0], 1U << 16U));
    }
  }
}

TEST(Array, SmallOnesTakeLittle) {
  MemoryBudget budget(of_memory(std::uint64_t{1} << 30U));
  const std::uint64_t before = budget.available();
  Array<std::uint32_t> array(budget, "numbers", 100);
  EXPECT_EQ(before - budget.available(), 400U);
  array.use_huge_pages();
  EXPECT_EQ(array.give_back(0, 100), 0U);
  EXPECT_EQ(std::count(array.begin(), array.end(), 0U), 100);
}

TEST(Array, StaysWholeWhenItMayNotGrow) {
  MemoryBudget budget(of_memory(kMinMemoryBytes));
  Array<char> array(budget, "bytes", 1000);
  array[999] = 'x';
  try {
    array.resize(std::size_t{1} << 30U);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget);
  }
  EXPECT_EQ(array.size(), 1000U);
  EXPECT_EQ(array[999], 'x');
}

}  // namespace
}  // namespace refrain
