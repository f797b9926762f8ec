#include "store/byte_sort.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace refrain::store {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

Rows sorted(const std::map<std::string, std::string>& records, std::uint64_t memory, std::uint64_t limit,
            std::uint64_t* temp_peak = nullptr) {
  Context context;
  MemoryBudget budget(context);
  TempSpace temp(context);
  ByteSort sort({.what = "rows", .memory_bytes = memory, .limit = limit}, budget, temp);
  // In random order.
  std::vector<const std::pair<const std::string, std::string>*> order;
  for (const auto& record : records) order.push_back(&record);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(3));
  for (const auto* record : order) sort.add(record->first, record->second);
  Rows rows;
  sort.drain(context, [&](std::string_view key, std::string_view value) { rows.emplace_back(key, value); });
  if (temp_peak != nullptr) *temp_peak = temp.peak_bytes();
  return rows;
}

std::map<std::string, std::string> make(std::size_t count) {
  std::mt19937_64 random(1);
  std::map<std::string, std::string> records;
  while (records.size() < count) {
    std::string key(random() % 40, 0);
    for (char& c : key) c = static_cast<char>(random() % 7 * 50);  // zeros, high bytes, shared beginnings
    records[key] = std::to_string(random() % 1000);
  }
  return records;
}

TEST(ByteSort, GivesTheOrderOfAMapForAnyMemoryAndLimit) {
  const std::map<std::string, std::string> records = make(20000);
  const Rows all(records.begin(), records.end());
  for (const std::uint64_t memory : {std::uint64_t{1} << 12U, std::uint64_t{1} << 18U, std::uint64_t{1} << 28U}) {
    for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{77}, std::uint64_t{5000},
                                      std::uint64_t{20000}, ~std::uint64_t{0}}) {
      const Rows rows = sorted(records, memory, limit);
      EXPECT_EQ(rows,
                Rows(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(limit, 20000))))
          << memory << " " << limit;
    }
  }
}

TEST(ByteSort, SpillsPastItsMemoryAndOnlyThen) {
  const std::map<std::string, std::string> records = make(20000);
  std::uint64_t temp = 0;
  sorted(records, std::uint64_t{1} << 28U, ~std::uint64_t{0}, &temp);
  EXPECT_EQ(temp, 0U);
  sorted(records, std::uint64_t{1} << 18U, ~std::uint64_t{0}, &temp);
  EXPECT_GT(temp, 0U);
  sorted(records, std::uint64_t{1} << 18U, 100, &temp);
  EXPECT_EQ(temp, 0U);
}

TEST(ByteSort, TakesRecordsThatAreLargerThanItsMemory) {
  std::map<std::string, std::string> records;
  for (int i = 0; i < 20; ++i) records[std::string(200000, static_cast<char>('a' + i))] = std::string(100000, 'v');
  EXPECT_EQ(sorted(records, std::uint64_t{1} << 16U, ~std::uint64_t{0}), Rows(records.begin(), records.end()));
}

TEST(ByteSort, OfNothingIsNothing) {
  EXPECT_TRUE(sorted({}, std::uint64_t{1} << 20U, 10).empty());
}

}  // namespace
}  // namespace refrain::store
