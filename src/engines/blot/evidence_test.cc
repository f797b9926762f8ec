#include "engines/blot/evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace refrain::blot {
namespace {

using Tokens = std::vector<std::uint32_t>;

// Appends `count` tokens that occur nowhere else.
void append_new(Tokens& to, std::size_t count, std::uint32_t& next) {
  for (std::size_t i = 0; i < count; ++i) to.push_back(next++);
}

void add_all(Tokens& to, const Tokens& some) {
  to.insert(to.end(), some.begin(), some.end());
}

double bits(const Tokens& a, std::size_t a_begin, std::size_t a_end, const Tokens& b, std::size_t b_begin,
            std::size_t b_end) {
  Evidence evidence;
  return static_cast<double>(evidence.weigh({a, a_begin, a_end}, {b, b_begin, b_end})) / 16;
}

// The same by the definition: the longest common subsequence by dynamic programming, counts in maps, real logarithms.
class PlainEvidence {
 public:
  PlainEvidence(const Tokens& a, const Tokens& b) : tokens_(static_cast<double>(a.size() + b.size())) {
    for (const Tokens* context : {&a, &b})
      for (std::size_t i = 0; i < context->size(); ++i) {
        ++words_[(*context)[i]];
        if (i > 0) ++pairs_[{(*context)[i - 1], (*context)[i]}];
      }
  }

  // Takes the shared tokens as given: (place in a, place in b), ascending.
  double weigh(const Tokens& a, const std::vector<std::pair<std::size_t, std::size_t>>& row) const {
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto [x, y] = row[i];
      const double others = std::max(1, words_.at(a[x]) - 2);
      const double skipped_a = i == 0 ? 0 : static_cast<double>(x - row[i - 1].first - 1);
      const double skipped_b = i == 0 ? 0 : static_cast<double>(y - row[i - 1].second - 1);
      if (i > 0 && skipped_a == 0 && skipped_b == 0) {
        const auto pair = pairs_.find({a[x - 1], a[x]});
        const double both = std::max(0, pair->second - 2) + 4 * others / tokens_;
        sum += std::min(16.0, std::log2((std::max(0, words_.at(a[x - 1]) - 2) + 4) / both));
        continue;
      }
      sum += std::min(16.0, std::log2(tokens_ / others)) - 1.5 * (std::log2(1 + skipped_a) + std::log2(1 + skipped_b)) -
             3 * std::min(skipped_a, skipped_b) - std::min(30.0, std::abs(skipped_a - skipped_b) / 2);
    }
    return sum;
  }

 private:
  double tokens_;
  std::map<std::uint32_t, int> words_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> pairs_;
};

std::size_t common_length(const Tokens& a, const Tokens& b) {
  std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
  return best[a.size()][b.size()];
}

TEST(Evidence, IsTheSumOfItsDefinition) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    // Two texts of new tokens and some that many places of both hold, with a copy of which some tokens are replaced.
    std::uint32_t next = 1000;
    Tokens formula;
    append_new(formula, 6, next);
    Tokens a;
    Tokens b;
    const auto fill = [&](Tokens& text) {
      for (int part = 0; part < 5; ++part) {
        append_new(text, random() % 20, next);
        add_all(text, formula);
      }
      append_new(text, 3, next);
    };
    fill(a);
    fill(b);
    std::vector<std::pair<std::size_t, std::size_t>> row;
    const std::size_t a_begin = a.size();
    const std::size_t b_begin = b.size();
    const std::size_t length = 20 + random() % 40;
    for (std::size_t k = 0; k < length; ++k) {
      if (k > 0 && k + 1 < length && random() % 4 == 0) {
        append_new(a, random() % 3, next);
        append_new(b, random() % 3, next);
      }
      row.emplace_back(a.size() - a_begin, b.size() - b_begin);
      append_new(a, 1, next);
      b.push_back(a.back());
    }
    const std::size_t a_end = a.size();
    const std::size_t b_end = b.size();
    fill(a);
    fill(b);
    const Tokens stretch(a.begin() + static_cast<std::ptrdiff_t>(a_begin),
                         a.begin() + static_cast<std::ptrdiff_t>(a_end));
    // Logarithms are approximated to a sixteenth of a bit or two, for each token.
    const double wanted = PlainEvidence(a, b).weigh(stretch, row);
    EXPECT_NEAR(bits(a, a_begin, a_end, b, b_begin, b_end), wanted, 0.25 * static_cast<double>(length));
    EXPECT_NEAR(bits(b, b_begin, b_end, a, a_begin, a_end), bits(a, a_begin, a_end, b, b_begin, b_end), 1e-9);
  }
}

TEST(Evidence, TheSharedTokensAreALongestCommonSubsequence) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 300; ++i) {
    Tokens a;
    Tokens b;
    for (std::size_t k = random() % 40; k-- > 0;) a.push_back(static_cast<std::uint32_t>(random() % 100));
    for (std::size_t k = random() % 40; k-- > 0;) b.push_back(static_cast<std::uint32_t>(random() % 100));
    Evidence evidence;
    evidence.weigh({a, 0, a.size()}, {b, 0, b.size()});
    EXPECT_EQ(evidence.matches(), common_length(a, b));
  }
}

TEST(Evidence, WordsThatBothTextsRepeatEverywhereAreNone) {
  std::uint32_t next = 0;
  Tokens formula;
  append_new(formula, 8, next);
  const auto entries = [&] {
    Tokens text;
    for (int i = 0; i < 40; ++i) {
      add_all(text, formula);
      append_new(text, 4, next);
    }
    return text;
  };
  const Tokens a = entries();
  const Tokens b = entries();
  // Six entries share 48 tokens, but each entry says the same. As many tokens that are said once are a copy.
  EXPECT_LT(bits(a, 120, 192, b, 240, 312), 40);
  Tokens x = a;
  Tokens y = b;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t k = 0; k < 8; ++k) x[120 + 12 * i + k] = y[240 + 12 * i + k] = next++;
  EXPECT_GT(bits(x, 120, 192, y, 240, 312), 200);
}

TEST(Evidence, NothingIsNoEvidence) {
  EXPECT_EQ(bits({}, 0, 0, {}, 0, 0), 0);
  EXPECT_EQ(bits({1, 2, 3}, 0, 3, {4, 5}, 0, 2), 0);
  EXPECT_EQ(bits({1, 2, 3}, 1, 1, {1, 2, 3}, 0, 3), 0);
}

}  // namespace
}  // namespace refrain::blot
