#include "verbs/index/query/cursor.h"

#include <gtest/gtest.h>

#include "refrain/error.h"

namespace refrain::verbs::index {
namespace {

constexpr std::uint64_t kQuery = 0x0123456789abcdef;

Errc refusal(const std::string& text, std::uint64_t query = kQuery) {
  try {
    decode_cursor(text, query);
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "taken: " << text;
  return Errc::io;
}

TEST(QueryCursor, ComesBackAsItWas) {
  const QueryCursor cursor = {kQuery, {7, 0xfffffff0, 0, 3}, QueryCursor::kAllTold};
  const QueryCursor back = decode_cursor(encode_cursor(cursor), kQuery);
  EXPECT_EQ(back.query, kQuery);
  EXPECT_EQ(back.last.begin, 7U);
  EXPECT_EQ(back.last.end, 0xfffffff0U);
  EXPECT_EQ(back.last.chains, 3U);
  EXPECT_EQ(back.told, QueryCursor::kAllTold);
}

TEST(QueryCursor, OfAnotherQueryIsRefused) {
  EXPECT_EQ(refusal(encode_cursor({kQuery, {1, 2, 0, 3}, 4}), kQuery + 1), Errc::invalid_argument);
}

TEST(QueryCursor, AnyChangedCharacterIsRefused) {
  const std::string good = encode_cursor({kQuery, {1, 200, 0, 3}, 4});
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const char other : {'0', '1', 'f', 'g', 'A', ' ', '\0', '\xff'}) {
      if (good[i] == other) continue;
      std::string bad = good;
      bad[i] = other;
      EXPECT_EQ(refusal(bad), Errc::invalid_argument);
    }
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_EQ(refusal(good.substr(0, size)), Errc::invalid_argument);
  EXPECT_EQ(refusal(good + "0"), Errc::invalid_argument);
  EXPECT_EQ(refusal(std::string(1 << 20, '0')), Errc::invalid_argument);
}

}  // namespace
}  // namespace refrain::verbs::index
