#include "text/token_hasher.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace refrain::text {
namespace {

struct HashedToken {
  std::uint64_t hash;
  std::uint64_t begin;
  std::uint64_t end;
  std::string normal;
  friend bool operator==(const HashedToken&, const HashedToken&) = default;
};

void append(const TokenStretch& stretch, std::vector<HashedToken>& out) {
  for (std::size_t i = 0; i < stretch.size(); ++i)
    out.push_back({stretch.hashes()[i], stretch.range(i).begin, stretch.range(i).end, std::string(stretch.normal(i))});
}

// A text that is long enough for several stretches.
std::string some_text() {
  std::mt19937_64 random(5);
  std::string text;
  while (text.size() < 60000)
    text += "Word" + std::to_string(random() % 5000) + (random() % 9 == 0 ? " \xC3\x84, " : " ");
  return text;
}

TEST(TokenHasher, TellsEveryTokenWithItsHash) {
  const std::string text = some_text();
  TokenHasher hasher(TokenizerKind::words);
  std::vector<HashedToken> tokens;
  hasher.read(text, [&](const TokenStretch& stretch) { append(stretch, tokens); });
  ASSERT_GT(tokens.size(), 5000U);
  for (const HashedToken& token : tokens) {
    ASSERT_EQ(token.hash, hash_token(HashKind::xxh3, token.normal, 0));
    ASSERT_EQ(token.normal.front() == 'w', text[token.begin] == 'W');
  }
}

TEST(TokenHasher, TellsThoseOfTheNumbersThatAreAskedFor) {
  const std::string text = some_text();
  TokenHasher hasher(TokenizerKind::words);
  std::vector<HashedToken> all;
  hasher.read(text, [&](const TokenStretch& stretch) { append(stretch, all); });
  constexpr std::uint64_t kNumber = 512;  // the number of the first token
  const std::uint64_t end = kNumber + all.size();
  std::mt19937_64 random(6);
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t first = random() % (end + 100);
    const std::uint64_t last = first + random() % (end + 100 - first);
    std::vector<HashedToken> found;
    hasher.read(text, kNumber, first, last, [&](const TokenStretch& stretch) { append(stretch, found); });
    const auto place = [&](std::uint64_t number) {
      return all.begin() + static_cast<std::ptrdiff_t>(std::clamp(number, kNumber, end) - kNumber);
    };
    ASSERT_EQ(found, std::vector<HashedToken>(place(first), place(last))) << first << " " << last;
  }
}

}  // namespace
}  // namespace refrain::text
