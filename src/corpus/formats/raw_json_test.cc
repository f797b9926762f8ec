#include "corpus/formats/raw_json.h"

#include <gtest/gtest.h>

#include <random>

#include "corpus/files/format.h"

namespace refrain::corpus {
namespace {

TEST(RawText, IsWhatTheFormatMakesOfIt) {
  EXPECT_EQ(text_of_raw(Format::lines, "a\\nb"), "a\\nb");
  EXPECT_EQ(text_of_raw(Format::jsonl, "a\\nb\\u00e9\\ud83d\\ude00\\\""), "a\nb\xC3\xA9\xF0\x9F\x98\x80\"");
  EXPECT_EQ(text_of_raw(Format::jsonl, "a\"b"), std::nullopt);
  EXPECT_EQ(text_of_raw(Format::jsonl, "a\\"), std::nullopt);
  EXPECT_EQ(text_of_raw(Format::csv, "a b\r"), "a b\r");
  EXPECT_EQ(text_of_raw(Format::csv, "\"a \"\"b\"\",\nc\""), "a \"b\",\nc");
  EXPECT_EQ(text_of_raw(Format::csv, "\"a"), std::nullopt);
  EXPECT_EQ(text_of_raw(Format::tsv, "a,b"), "a,b");
}

TEST(RawText, PositionsLeadToTheSameBytes) {
  std::mt19937 random(1);
  const char* const pieces[] = {"a",        "bc ",  "\\n", "\\u00e9", "\\u0041", "\\u4e2d", "\\ud83d\\ude00",
                                "\xC3\xA9", "\\\\", "\\\""};
  for (int round = 0; round < 300; ++round) {
    std::string raw;
    std::vector<std::uint64_t> raw_begins;
    std::vector<std::uint64_t> begins;
    std::uint64_t bytes = 0;
    for (std::size_t i = random() % 40; i > 0; --i) {
      const std::string piece = pieces[random() % std::size(pieces)];
      raw_begins.push_back(raw.size());
      begins.push_back(bytes);
      raw += piece;
      bytes += text_of_raw(Format::jsonl, piece)->size();
    }
    RawJsonPosition position(raw);
    for (std::size_t i = 0; i < begins.size(); ++i)
      if (random() % 3 == 0) {
        ASSERT_EQ(position.advance_to(begins[i]), raw_begins[i]) << raw;
      }
    EXPECT_EQ(position.advance_to(bytes), raw.size());
    EXPECT_EQ(position.advance_to(bytes + 1), std::nullopt);
  }
}

TEST(RawText, ThereIsNoPositionInsideAnEscape) {
  RawJsonPosition position("a\\u4e2db");
  EXPECT_EQ(position.advance_to(1), 1U);
  EXPECT_EQ(position.advance_to(2), std::nullopt);
}

}  // namespace
}  // namespace refrain::corpus
