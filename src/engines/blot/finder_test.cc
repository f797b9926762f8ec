#include "engines/blot/finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "base/budget.h"
#include "refrain/context.h"

namespace refrain::blot {
namespace {

using Tokens = std::vector<std::uint32_t>;

Tokens random_tokens(std::mt19937& random, std::size_t count, std::uint32_t words) {
  Tokens tokens(count);
  for (std::uint32_t& token : tokens) token = 1000 + static_cast<std::uint32_t>(random() % words);
  return tokens;
}

std::map<std::uint32_t, std::uint64_t> count(const Tokens& tokens) {
  std::map<std::uint32_t, std::uint64_t> counts;
  for (const std::uint32_t token : tokens) ++counts[token];
  return counts;
}

Tokens around(const Tokens& tokens, std::size_t at) {
  const std::size_t begin = at - std::min(at, PassageFinder::kAround);
  const std::size_t end = std::min(tokens.size(), at + PassageFinder::kAround + 1);
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::vector<LoosePassage> passages_of(const FinderRules& rules, const Tokens& a, const Tokens& b) {
  PassageFinder finder(rules);
  finder.set(a);
  return finder.find(b);
}

// Compares every pair of positions and every pair of stretches, as the header defines it.
std::vector<SharedPoint> slow_points(const Tokens& a, const Tokens& b, double noise) {
  auto in_a = count(a);
  auto in_b = count(b);
  const auto weight = [&](std::uint32_t token) {
    const std::uint32_t all = log2_sixteenths(a.size() + b.size());
    return in_a[token] == 0 ? all : all - log2_sixteenths(in_a[token] + in_b[token]);
  };
  std::vector<SharedPoint> points;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (a[i] != b[j] || in_a[a[i]] > PassageFinder::kMostPlaces || in_b[a[i]] > PassageFinder::kMostPlaces) continue;
      auto here = count(around(a, i));
      auto there = count(around(b, j));
      std::uint64_t all = 0;
      std::uint64_t both = 0;
      for (const auto& [token, times] : here) {
        all += times * weight(token);
        both += std::min(times, there[token]) * weight(token);
      }
      for (const auto& [token, times] : there) all += times * weight(token);
      if (2 * static_cast<double>(both) >= (1 - noise) * static_cast<double>(all))
        points.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
    }
  return points;
}

// Repeatedly divides the first part that can be divided, along either run, until none can.
std::vector<std::vector<SharedPoint>> slow_clusters(std::vector<SharedPoint> points, std::uint32_t gap_a,
                                                    std::uint32_t gap_b) {
  std::vector<std::vector<SharedPoint>> parts;
  if (!points.empty()) parts.push_back(points);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t p = 0; p < parts.size() && !changed; ++p)
      for (const bool along_a : {true, false}) {
        const auto place = [&](const SharedPoint& point) { return along_a ? point.a : point.b; };
        std::sort(parts[p].begin(), parts[p].end(), [&](const auto& x, const auto& y) { return place(x) < place(y); });
        for (std::size_t i = 1; i < parts[p].size() && !changed; ++i) {
          if (place(parts[p][i]) - place(parts[p][i - 1]) <= (along_a ? gap_a : gap_b)) continue;
          const auto middle = parts[p].begin() + static_cast<std::ptrdiff_t>(i);
          std::vector<SharedPoint> rest(middle, parts[p].end());
          parts[p].erase(middle, parts[p].end());
          parts.push_back(std::move(rest));
          changed = true;
        }
        if (changed) break;
      }
  }
  const auto before = [](const SharedPoint& x, const SharedPoint& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; };
  for (auto& part : parts) std::sort(part.begin(), part.end(), before);
  std::sort(parts.begin(), parts.end(), [&](const auto& x, const auto& y) { return before(x.front(), y.front()); });
  return parts;
}

// Returns `passage` with every token replaced with the given probability; if `swapped`, neighbors then trade places.
Tokens edited(std::mt19937& random, Tokens passage, double replaced, bool swapped) {
  for (std::uint32_t& token : passage)
    if (static_cast<double>(random() % 1000) < 1000 * replaced) token = static_cast<std::uint32_t>(random());
  if (swapped)
    for (std::size_t i = 0; i + 1 < passage.size(); i += 2) std::swap(passage[i], passage[i + 1]);
  return passage;
}

void append(Tokens& to, const Tokens& more) {
  to.insert(to.end(), more.begin(), more.end());
}

TEST(PassageFinder, WeighsByTheLogarithm) {
  for (std::uint64_t value = 1; value < 100000; value = value * 9 / 8 + 1)
    EXPECT_NEAR(log2_sixteenths(value) / 16.0, std::log2(static_cast<double>(value)), 0.15) << value;
  EXPECT_EQ(log2_sixteenths(1), 0U);
  EXPECT_EQ(log2_sixteenths(1U << 20U), 320U);
}

TEST(PassageFinder, FindsThePointsThatComparingEverythingFinds) {
  std::mt19937 random(1);
  for (const std::uint32_t words : {3U, 40U, 400U})
    for (const double noise : {0.2, 0.67, 0.9}) {
      Tokens a = random_tokens(random, 150, words);
      Tokens b = random_tokens(random, 100, words);
      append(b, edited(random, {a.begin() + 30, a.begin() + 90}, 0.4, true));
      PassageFinder finder({.noise = noise});
      finder.set(a);
      finder.find(b);
      const std::vector<SharedPoint> found(finder.points().begin(), finder.points().end());
      EXPECT_EQ(found, slow_points(a, b, noise)) << words << " words, noise " << noise;
    }
}

TEST(PassageFinder, ClustersAsCuttingOneByOneDoes) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<SharedPoint> points;
    for (std::size_t i = 0; i < 1 + random() % 40; ++i)
      points.push_back({static_cast<std::uint32_t>(random() % 100), static_cast<std::uint32_t>(random() % 100)});
    const auto gap = static_cast<std::uint32_t>(1 + random() % 12);
    EXPECT_EQ(cluster_points(points, gap, 2 * gap), slow_clusters(points, gap, 2 * gap));
  }
  EXPECT_TRUE(cluster_points({}, 1, 1).empty());
}

TEST(PassageFinder, FindsAPassageHowEverItWasEdited) {
  std::mt19937 random(3);
  for (const double replaced : {0.0, 0.3, 0.5})
    for (const bool swapped : {false, true}) {
      Tokens a = random_tokens(random, 300, 100000);
      Tokens b = random_tokens(random, 200, 100000);
      append(b, edited(random, {a.begin() + 100, a.begin() + 200}, replaced, swapped));
      append(b, random_tokens(random, 200, 100000));
      const std::vector<LoosePassage> found = passages_of({}, a, b);
      ASSERT_EQ(found.size(), 1U) << replaced;
      EXPECT_NEAR(static_cast<double>(found[0].a_begin), 100, 8);
      EXPECT_NEAR(static_cast<double>(found[0].a_end), 200, 8);
      EXPECT_NEAR(static_cast<double>(found[0].b_begin), 200, 8);
      EXPECT_NEAR(static_cast<double>(found[0].b_end), 300, 8);
      EXPECT_GE(static_cast<double>(found[0].matches), 80 * (1 - replaced) - 5);
    }
}

TEST(PassageFinder, FindsNothingInTextsThatShareCommonWordsOnly) {
  std::mt19937 random(4);
  for (int round = 0; round < 20; ++round)
    EXPECT_TRUE(passages_of({}, random_tokens(random, 500, 2000), random_tokens(random, 500, 2000)).empty());
}

TEST(PassageFinder, JoinsUpToTheGapAndNoFurther) {
  std::mt19937 random(5);
  const Tokens a = random_tokens(random, 5 * 18, 100000);
  Tokens b;  // five tokens of `a`, six others, and so on
  for (std::size_t i = 0; i < a.size(); i += 5) {
    append(b, {a.begin() + static_cast<std::ptrdiff_t>(i), a.begin() + static_cast<std::ptrdiff_t>(i) + 5});
    append(b, random_tokens(random, 6, 1U << 30U));
  }
  EXPECT_EQ(passages_of({.max_gap = 8, .min_tokens = 5, .min_bits = 10, .summaries = false}, a, b).size(), 1U);
  EXPECT_EQ(passages_of({.max_gap = 4, .min_tokens = 5, .min_bits = 10, .summaries = false}, a, b).size(), 18U);
}

TEST(PassageFinder, FindsASummaryAsOnePassage) {
  std::mt19937 random(6);
  const Tokens source = random_tokens(random, 4500, 1U << 30U);
  Tokens summary;  // ten tokens out of every five hundred
  for (std::size_t i = 40; i < source.size(); i += 500)
    append(summary,
           {source.begin() + static_cast<std::ptrdiff_t>(i), source.begin() + static_cast<std::ptrdiff_t>(i) + 10});
  const std::vector<LoosePassage> found = passages_of({}, summary, source);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LE(found[0].b_begin, 60U);
  EXPECT_GE(found[0].b_end, 4040U);
}

TEST(PassageFinder, AFewScatteredWordsAreNoSummary) {
  std::mt19937 random(8);
  const Tokens source = random_tokens(random, 4500, 1U << 30U);
  // The summary has ten tokens from each of `stretches` stretches of the source, each followed by `others` other
  // tokens.
  const auto finds_summary = [&](std::size_t stretches, std::size_t others) {
    Tokens summary;
    for (std::size_t i = 0; i < stretches; ++i) {
      const auto at = source.begin() + static_cast<std::ptrdiff_t>(40 + 500 * i);
      append(summary, {at, at + 10});
      append(summary, random_tokens(random, others, 1U << 30U));
    }
    const std::vector<LoosePassage> found = passages_of({.min_tokens = 5, .min_bits = 10}, summary, source);
    return std::any_of(found.begin(), found.end(),
                       [](const LoosePassage& one) { return one.b_end - one.b_begin > 1000; });
  };
  EXPECT_TRUE(finds_summary(9, 0));
  EXPECT_FALSE(finds_summary(4, 0));   // 40 tokens
  EXPECT_TRUE(finds_summary(9, 4));    // most of it is in the source
  EXPECT_FALSE(finds_summary(9, 10));  // only half of it is in the source
}

TEST(PassageFinder, ScatteredWordsAroundAFewPhrasesAreNoSummary) {
  std::mt19937 random(9);
  const Tokens a = random_tokens(random, 325, 1U << 30U);
  Tokens b;  // contains all of `a`, but only five phrases of it in one piece
  for (std::size_t i = 0; i < a.size(); ++i) {
    b.push_back(a[i]);
    if (i % 79 >= 8) append(b, random_tokens(random, 7, 1U << 30U));
  }
  for (const LoosePassage& one : passages_of({.min_tokens = 5, .min_bits = 10}, a, b))
    EXPECT_LE(one.b_end - one.b_begin, 100U);
}

TEST(PassageFinder, WhatIsThereTwiceIsNoSummary) {
  std::mt19937 random(10);
  const Tokens a = random_tokens(random, 120, 1U << 30U);
  Tokens b = a;
  append(b, random_tokens(random, 150, 1U << 30U));
  append(b, a);
  const std::vector<LoosePassage> found = passages_of({}, a, b);
  ASSERT_EQ(found.size(), 2U);
  for (const LoosePassage& one : found) EXPECT_EQ(one.b_end - one.b_begin, a.size());
}

TEST(PassageFinder, TakesLinearTimeWhateverTheText) {
  // With quadratic time, this would take 10^10 steps.
  const Tokens one_word(100000, 7);
  EXPECT_TRUE(passages_of({}, one_word, one_word).empty());
  Tokens period;
  for (std::uint32_t i = 0; i < 100000; ++i) period.push_back(i % 50);
  EXPECT_TRUE(passages_of({}, period, period).empty());
  std::mt19937 random(7);
  const Tokens different = random_tokens(random, 100000, 1U << 30U);
  const std::vector<LoosePassage> found = passages_of({}, different, different);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].a_end - found[0].a_begin, different.size());
}

// Computes the share by counting.
double plain_share(const Tokens& a, std::size_t begin, std::size_t end, const Tokens& b) {
  std::map<std::uint32_t, std::size_t> left;
  for (const std::uint32_t token : b) ++left[token];
  double all = 0;
  double shared = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const auto times = static_cast<std::uint64_t>(std::count(a.begin(), a.end(), a[i]));
    const double weight = log2_sixteenths(a.size()) - log2_sixteenths(times);
    all += weight;
    if (left[a[i]] == 0) continue;
    --left[a[i]];
    shared += weight;
  }
  return all == 0 ? 1 : shared / all;
}

TEST(Resemblance, IsTheShareThatCountingGives) {
  std::mt19937 source(17);
  const auto random = [&](std::size_t below) { return static_cast<std::uint32_t>(source() % below); };
  MemoryBudget budget{Context{}};
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t words = 1 + random(60);
    Tokens a(1 + random(80));
    Tokens b(random(60));
    for (std::uint32_t& token : a) token = random(words) * 0x01000193U;
    for (std::uint32_t& token : b) token = random(words) * 0x01000193U;
    Resemblance resemblance(a, budget);
    for (int part = 0; part < 3; ++part) {
      const std::size_t begin = random(a.size());
      const std::size_t end = begin + random(a.size() - begin + 1);
      EXPECT_DOUBLE_EQ(resemblance.share(begin, end, b), plain_share(a, begin, end, b)) << "round " << round;
    }
  }
}

TEST(Resemblance, IsBlindToOrderAndSeesWhatIsMissing) {
  MemoryBudget budget{Context{}};
  const Tokens a{1, 2, 3, 4, 5, 6, 7, 8};
  Resemblance resemblance(a, budget);
  EXPECT_EQ(resemblance.share(0, 8, Tokens{8, 7, 6, 5, 4, 3, 2, 1}), 1);
  EXPECT_EQ(resemblance.share(0, 8, Tokens{8, 7, 6, 5}), 0.5);
  EXPECT_EQ(resemblance.share(0, 8, Tokens{}), 0);
}

}  // namespace
}  // namespace refrain::blot
