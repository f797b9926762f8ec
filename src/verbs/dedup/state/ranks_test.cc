#include "verbs/dedup/state/ranks.h"

#include <gtest/gtest.h>

namespace refrain::verbs::dedup {
namespace {

std::uint64_t key(std::string_view field) {
  return KeepRanker(parse_keep_policy("newest:date")).key(0, "", field, false);
}

TEST(KeepPolicy, DatesAreSecondsSince1970) {
  const std::pair<const char*, const char*> same[] = {
      {"1970-01-02", "86400.0"},          {"1969-12-31", "-86400"},      {"2000", "946684800"},
      {"2000-03-01", "951868800"},        {"2024/2/29", "1709164800"},   {"0001-01-01", "-62135596800"},
      {"9999-12-31", "253402214400"},     {"2023-02-31", "1677801600"},  {"1970-01-01T00:00:00.5Z", "0.5"},
      {"1970-01-01 02:00+02:00", "0e00"}, {"1970-01-02T00:01", "86460"},
  };
  for (const auto& [date, seconds] : same) EXPECT_EQ(key(date), key(seconds)) << date;
}

TEST(KeepPolicy, WhatIsNoDateRanksLast) {
  for (const char* date : {"2024-13", "2024-00-01", "2024-01-32", "2024-01-01T1", "May 2024", ""})
    EXPECT_EQ(key(date), kLastKey) << date;
}

}  // namespace
}  // namespace refrain::verbs::dedup
