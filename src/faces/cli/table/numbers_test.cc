#include "faces/cli/table/numbers.h"

#include <gtest/gtest.h>

namespace refrain::cli {
namespace {

TEST(Sizes, ReadWhatPeopleWrite) {
  EXPECT_EQ(parse_size("1000000"), 1000000U);
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("64M"), std::uint64_t{64} << 20);
  EXPECT_EQ(parse_size("1.5G"), std::uint64_t{3} << 29);
  EXPECT_EQ(parse_size("512MiB"), std::uint64_t{512} << 20);
  EXPECT_EQ(parse_size("100kb"), 102400U);
  EXPECT_EQ(parse_size("2T"), std::uint64_t{2} << 40);
  EXPECT_EQ(parse_size("17B"), 17U);
  EXPECT_EQ(parse_size("0.1K"), 102U);
  EXPECT_EQ(parse_size("0.33333333333333333333333333M"), 349524U);
}

TEST(Sizes, RefuseTheRest) {
  for (const char* const text : {"", "M", "1.5", "1.G", ".5G", "-1", "+1", "1 M", "1X", "1Mi", "1MM", "0x10", "1e6",
                                 "18446744073709551616", "16777216T", "99999999999999999999G"}) {
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
  }
}

TEST(Sizes, AreSpelledAsTheyAreRead) {
  for (const std::uint64_t bytes : {0U, 1023U, 1U << 20, 3U << 29, 1000000U}) {
    EXPECT_EQ(parse_size(size_text(bytes)), bytes);
  }
  EXPECT_EQ(size_text(std::uint64_t{64} << 20), "64M");
}

TEST(Numbers, AreDigitsAlone) {
  EXPECT_EQ(parse_number("18446744073709551615"), ~std::uint64_t{0});
  for (const char* const text : {"", "-1", "+1", " 1", "1 ", "1.0", "18446744073709551616"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(Counts, HaveSeparatorsAndTheRightPlural) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(count_of(1, "query", "queries"), "1 query");
  EXPECT_EQ(count_of(0, "query", "queries"), "0 queries");
  EXPECT_EQ(count_of(2000, "document"), "2,000 documents");
}

TEST(Bytes, HaveThreeDigits) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(1023), "1,023 bytes");
  EXPECT_EQ(bytes_text(1024), "1.0 KiB");
  EXPECT_EQ(bytes_text(1048575), "1.0 MiB");
  EXPECT_EQ(bytes_text(310.4 * 1048576), "310 MiB");
}

TEST(Times, GrowCoarserAsTheyGrow) {
  EXPECT_EQ(seconds_text(0), "0 ms");
  EXPECT_EQ(seconds_text(0.035), "35 ms");
  EXPECT_EQ(seconds_text(1.26), "1.3 s");
  EXPECT_EQ(seconds_text(59.7), "1 min 00 s");
  EXPECT_EQ(seconds_text(125), "2 min 05 s");
  EXPECT_EQ(seconds_text(3720), "1 h 02 min");
  EXPECT_EQ(clock_text(4.2), "0:04");
  EXPECT_EQ(clock_text(3723), "1:02:03");
  EXPECT_EQ(clock_text(1e300), "99:59:59");
}

TEST(Shares, AreNotRoundedToNoneOrAll) {
  EXPECT_EQ(share_text(0, 10), "0%");
  EXPECT_EQ(share_text(10, 10), "100%");
  EXPECT_EQ(share_text(99999, 100000), "99.9%");
  EXPECT_EQ(share_text(1, 100000), "under 0.1%");
  EXPECT_EQ(share_text(163, 1000), "16.3%");
  EXPECT_EQ(share_text(0, 0), "0%");
}

}  // namespace
}  // namespace refrain::cli
