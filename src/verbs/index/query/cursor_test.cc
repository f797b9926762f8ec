#include "verbs/index/query/record.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "refrain/error.h"

namespace refrain::verbs::index {
namespace {

constexpr std::uint64_t kQuery = 0x0123456789abcdef;
constexpr std::uint64_t kCommit = 0xfedcba9876543210;

// The error message, after checking that the error is of the right kind.
std::string refusal(const std::string& text, std::uint64_t query = kQuery, std::uint64_t commit = kCommit,
                    Errc code = Errc::invalid_argument) {
  try {
    decode_cursor(text, query, commit);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "taken: " + text;
}

TEST(QueryCursor, ComesBackAsItWas) {
  const QueryCursor cursor = {kQuery, kCommit, {7, 0xfffffff0, 0, 3}, QueryCursor::kAllReported};
  const QueryCursor back = decode_cursor(encode_cursor(cursor), kQuery, kCommit);
  EXPECT_EQ(back.query, kQuery);
  EXPECT_EQ(back.commit, kCommit);
  EXPECT_EQ(back.last.begin, 7U);
  EXPECT_EQ(back.last.end, 0xfffffff0U);
  EXPECT_EQ(back.last.chains, 3U);
  EXPECT_EQ(back.reported, QueryCursor::kAllReported);
}

TEST(QueryCursor, OfAnotherQueryCommitOrVersionIsRefused) {
  const std::string good = encode_cursor({kQuery, kCommit, {1, 2, 0, 3}, 4});
  EXPECT_EQ(refusal(good, kQuery + 1), "`cursor`: from another query; use the same texts and options");
  for (const std::uint64_t query : {kQuery, kQuery + 1})  // the text of a document that was asked for may have changed
    EXPECT_EQ(refusal(good, query, kCommit + 1, Errc::outdated),
              "`cursor`: the index has changed since; repeat the query without it");
  // A cursor of the first version.
  const std::string old = "010123456789abcdef00000001000000020000000300000004";
  EXPECT_EQ(refusal(old + fmt::format("{:08x}", checksum(old) & 0xffffffff), kQuery, kCommit, Errc::outdated),
            "`cursor`: from another version of Refrain; repeat the query without it");
}

TEST(QueryCursor, AnyChangedCharacterIsRefused) {
  constexpr const char* kMalformed = "`cursor`: not a cursor; copy it in full";
  const std::string good = encode_cursor({kQuery, kCommit, {1, 200, 0, 3}, 4});
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const char other : {'0', '1', 'f', 'g', 'A', ' ', '\0', '\xff'}) {
      if (good[i] == other) continue;
      std::string bad = good;
      bad[i] = other;
      EXPECT_EQ(refusal(bad), kMalformed);
    }
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_EQ(refusal(good.substr(0, size)), kMalformed);
  EXPECT_EQ(refusal(good + "0"), kMalformed);
  EXPECT_EQ(refusal(std::string(1 << 20, '0')), kMalformed);
}

}  // namespace
}  // namespace refrain::verbs::index
