#include "store/position_list.h"

#include <gtest/gtest.h>

#include <utility>

namespace refrain::store {
namespace {

std::vector<std::uint64_t> all_of(const PositionList& list) {
  std::vector<std::uint64_t> all;
  list.for_each([&](std::uint64_t position) { all.push_back(position); });
  return all;
}

TEST(PositionList, GivesBackWhatWasAddedHoweverFewAreHeldInMemory) {
  TempSpace temp{Context{}};
  for (const std::size_t max_in_memory : {1, 2, 7, 100})
    for (const std::size_t count : {0, 1, 2, 6, 7, 8, 14, 99, 100, 101, 1000}) {
      PositionList list(temp, max_in_memory);
      std::vector<std::uint64_t> expected;
      std::uint64_t position = 0;
      for (std::size_t i = 0; i < count; ++i, position += 1 + i * i * i * i) {
        list.add(position);
        expected.push_back(position);
      }
      EXPECT_EQ(list.size(), count);
      EXPECT_EQ(all_of(list), expected);
      EXPECT_EQ(all_of(list), expected) << "the second time";
      EXPECT_EQ(temp.bytes() > 0, count > max_in_memory);
    }
  EXPECT_EQ(temp.bytes(), 0U);
}

TEST(PositionList, KeepsTheLargestPosition) {
  TempSpace temp{Context{}};
  PositionList list(temp, 2);
  const std::vector<std::uint64_t> positions{0, ~std::uint64_t{0} - 1, ~std::uint64_t{0}, ~std::uint64_t{0}};
  for (const std::uint64_t position : positions) list.add(position);
  EXPECT_EQ(all_of(list), positions);
}

TEST(PositionList, IsAsNewOnceItIsCleared) {
  TempSpace temp{Context{}};
  PositionList list(temp, 3);
  for (std::uint64_t position = 0; position < 10; ++position) list.add(position);
  list.clear();
  EXPECT_EQ(temp.bytes(), 0U);
  EXPECT_EQ(list.size(), 0U);
  EXPECT_TRUE(all_of(list).empty());
  for (std::uint64_t position = 5; position < 12; ++position) list.add(position);
  EXPECT_EQ(all_of(list), (std::vector<std::uint64_t>{5, 6, 7, 8, 9, 10, 11}));
  const PositionList moved = std::move(list);
  EXPECT_EQ(all_of(moved), (std::vector<std::uint64_t>{5, 6, 7, 8, 9, 10, 11}));
}

}  // namespace
}  // namespace refrain::store
