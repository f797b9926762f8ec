#include "engines/blot/align.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

namespace refrain::blot {
namespace {

using Tokens = std::vector<std::uint32_t>;
constexpr unsigned kNoDrop = 1'000'000;

Tokens random_tokens(std::mt19937_64& random, std::size_t size, std::uint32_t alphabet) {
  Tokens tokens(size);
  for (std::uint32_t& token : tokens) token = static_cast<std::uint32_t>(random() % alphabet);
  return tokens;
}

// Returns a copy in which about one in `every` tokens is substituted, deleted, or preceded by an inserted token.
Tokens noisy(std::mt19937_64& random, const Tokens& tokens, unsigned every, std::uint32_t alphabet) {
  Tokens copy;
  for (const std::uint32_t token : tokens) {
    if (random() % every != 0) {
      copy.push_back(token);
      continue;
    }
    const auto other = static_cast<std::uint32_t>(random() % alphabet);
    switch (random() % 3) {
      case 0:
        copy.push_back(other);
        break;
      case 1:
        break;
      default:
        copy.push_back(other);
        copy.push_back(token);
    }
  }
  return copy;
}

Tokens reversed(Tokens tokens) {
  std::reverse(tokens.begin(), tokens.end());
  return tokens;
}

// The slow and obvious way: the best score of each pair of prefixes, and the numbers of matches with which it is
// reached.
struct Table {
  Table(const AlignRules& rules, const Tokens& a, const Tokens& b)
      : cells(a.size() + 1, std::vector<Cell>(b.size() + 1)) {
    for (std::size_t i = 0; i <= a.size(); ++i) {
      for (std::size_t j = 0; j <= b.size(); ++j) {
        if (i == 0 && j == 0) cells[0][0] = {0, {0}};
        const bool same = i > 0 && j > 0 && a[i - 1] == b[j - 1];
        if (i > 0 && j > 0)
          take(i, j, i - 1, j - 1, same ? static_cast<int>(rules.match) : -static_cast<int>(rules.edit), same);
        if (i > 0) take(i, j, i - 1, j, -static_cast<int>(rules.edit), false);
        if (j > 0) take(i, j, i, j - 1, -static_cast<int>(rules.edit), false);
      }
    }
  }
  struct Cell {
    int worth = -1'000'000;
    std::set<std::size_t> matches = {};
  };
  void take(std::size_t i, std::size_t j, std::size_t from_i, std::size_t from_j, int worth, bool same) {
    const Cell& from = cells[from_i][from_j];
    Cell& to = cells[i][j];
    if (from.worth + worth < to.worth) return;
    if (from.worth + worth > to.worth) to = {from.worth + worth, {}};
    for (const std::size_t matches : from.matches) to.matches.insert(matches + (same ? 1 : 0));
  }
  // The best score; among equals the shortest, then the least difference in length, then the fewest tokens of `a`.
  std::pair<std::size_t, std::size_t> best() const {
    std::tuple<int, std::size_t, int, std::size_t> least{1, 0, 0, 0};
    std::pair<std::size_t, std::size_t> end;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (std::size_t j = 0; j < cells[i].size(); ++j) {
        const int difference = std::abs(static_cast<int>(i) - static_cast<int>(j));
        const std::tuple<int, std::size_t, int, std::size_t> here{-cells[i][j].worth, i + j, difference, i};
        if (here < least) {
          least = here;
          end = {i, j};
        }
      }
    }
    return end;
  }
  std::vector<std::vector<Cell>> cells;
};

// The rule by which diagonals are given up, without bands and without discarding anything: all cells are in a map.
Growth grow_plainly(const AlignRules& rules, const Tokens& a, const Tokens& b) {
  const int substitute = static_cast<int>(2 * (rules.edit + rules.match));
  const int gap = static_cast<int>(2 * rules.edit + rules.match);
  struct Cell {
    int reach;
    std::size_t matches;
  };
  std::map<std::pair<int, int>, Cell> cells;  // by penalty and diagonal
  int best_worth = 0;
  Growth best;
  const auto count = static_cast<int>(a.size() + b.size());
  for (int penalty = 0; penalty <= substitute * count + gap; ++penalty) {
    const int least = best_worth - 2 * static_cast<int>(rules.max_gap * rules.edit);
    for (int diagonal = -count; diagonal <= count; ++diagonal) {
      Cell cell{-1, 0};
      const auto from = [&](int back, int other, int step) {
        const auto found = cells.find({penalty - back, other});
        if (found == cells.end()) return;
        const Cell next{found->second.reach + step, found->second.matches};
        if (next.reach > static_cast<int>(a.size()) || next.reach - diagonal > static_cast<int>(b.size())) return;
        if (std::tie(next.reach, next.matches) > std::tie(cell.reach, cell.matches)) cell = next;
      };
      from(substitute, diagonal, 1);
      from(gap, diagonal - 1, 1);
      from(gap, diagonal + 1, 0);
      if (penalty == 0 && diagonal == 0) cell.reach = 0;
      const auto worth = [&] { return static_cast<int>(rules.match) * (2 * cell.reach - diagonal) - penalty; };
      if (cell.reach < 0 || worth() < least) continue;
      const auto end_a = [&] { return static_cast<std::size_t>(cell.reach); };
      const auto end_b = [&] { return static_cast<std::size_t>(cell.reach - diagonal); };
      while (end_a() < a.size() && end_b() < b.size() && a[end_a()] == b[end_b()]) {
        ++cell.reach;
        ++cell.matches;
      }
      cells[{penalty, diagonal}] = cell;
      best.open = best.open || end_a() == a.size() || end_b() == b.size();
      const auto difference = [](std::size_t i, std::size_t j) { return i > j ? i - j : j - i; };
      if (worth() > best_worth || (worth() == best_worth && end_a() + end_b() == best.a + best.b &&
                                   difference(end_a(), end_b()) < difference(best.a, best.b))) {
        best_worth = worth();
        best = {end_a(), end_b(), cell.matches, best.open};
      }
    }
  }
  return best;
}

struct Example {
  AlignRules rules;
  Tokens a;
  Tokens b;
};

Example random_example(std::mt19937_64& random) {
  Example example;
  example.rules.match = 1 + static_cast<unsigned>(random() % 3);
  example.rules.edit = 1 + static_cast<unsigned>(random() % 2);
  example.rules.max_gap = static_cast<unsigned>(random() % 6);
  const std::uint32_t alphabet = std::array{2U, 3U, 5U, 1000U}[random() % 4];
  example.a = random_tokens(random, random() % 24, alphabet);
  if (random() % 4 == 0)
    example.b = random_tokens(random, random() % 24, alphabet);
  else
    example.b = noisy(random, example.a, 2 + static_cast<unsigned>(random() % 8), alphabet);
  return example;
}

TEST(Align, GrowsToWhatIsWorthMost) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    Example example = random_example(random);
    example.rules.max_gap = kNoDrop;
    const Table table(example.rules, example.a, example.b);
    Aligner aligner(example.rules);
    const Growth found = aligner.forward(example.a, example.b);
    ASSERT_EQ(std::pair(found.a, found.b), table.best()) << i;
    ASSERT_TRUE(table.cells[found.a][found.b].matches.contains(found.matches)) << i;
    ASSERT_TRUE(found.open);  // nothing is given up
  }
}

TEST(Align, GivesUpWhatFallsTooFarBehind) {
  std::mt19937_64 random(2);
  int given_up = 0;
  for (int i = 0; i < 2000; ++i) {
    const Example example = random_example(random);
    Aligner aligner(example.rules);
    const Growth found = aligner.forward(example.a, example.b);
    ASSERT_EQ(found, grow_plainly(example.rules, example.a, example.b)) << i;
    given_up += found.open ? 0 : 1;
  }
  EXPECT_GT(given_up, 100);
}

// The texts share a passage, followed only by common words: most calls end without examining a diagonal.
TEST(Align, EndsAtOnceWhereNothingAheadIsWorthIt) {
  std::mt19937_64 random(13);
  const auto text = [&](std::size_t size) {
    Tokens tokens(size);
    for (std::uint32_t& token : tokens)
      token = static_cast<std::uint32_t>(std::size_t{1} << random() % 12);  // few are common
    for (std::uint32_t& token : tokens) token += static_cast<std::uint32_t>(random() % token);
    return tokens;
  };
  int at_once = 0;
  for (int i = 0; i < 600; ++i) {
    const AlignRules rules{1 + static_cast<unsigned>(random() % 2), 1 + static_cast<unsigned>(random() % 2),
                           static_cast<unsigned>(random() % 14)};
    Tokens a = text(random() % 8);
    Tokens b = a;
    for (Tokens* tokens : {&a, &b}) {
      const Tokens more = text(random() % 80);
      tokens->insert(tokens->end(), more.begin(), more.end());
    }
    Aligner aligner(rules);
    ASSERT_EQ(aligner.forward(a, b), grow_plainly(rules, a, b)) << i;
    at_once += aligner.cells() == 0 ? 1 : 0;
  }
  EXPECT_GT(at_once, 300);
}

TEST(Align, GivesTheSameWhateverItDidBefore) {
  std::mt19937_64 random(12);
  const AlignRules rules{1, 1, 8};
  Aligner used(rules);
  for (int i = 0; i < 300; ++i) {
    const bool is_long = i % 100 == 50;  // long enough that its first waves are discarded
    const Tokens a = random_tokens(random, is_long ? 400 : random() % 60, 50);
    const Tokens b = noisy(random, a, is_long ? 3 : 6, 50);
    ASSERT_EQ(used.forward(a, b), grow_plainly(rules, a, b)) << i;
    Aligner fresh(rules);
    const std::vector<Aligner::Run> runs = used.align(a, b);
    ASSERT_EQ(runs, fresh.align(a, b)) << i;
  }
}

TEST(Align, GrowsBackwardAsForwardInTheMirror) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const Example example = random_example(random);
    Aligner aligner(example.rules);
    ASSERT_EQ(aligner.backward(example.a, example.b), aligner.forward(reversed(example.a), reversed(example.b))) << i;
  }
}

TEST(Align, LongerSpansGiveTheSameWhereItIsNotOpen) {
  std::mt19937_64 random(4);
  int closed = 0;
  for (int i = 0; i < 2000; ++i) {
    Example example = random_example(random);
    Aligner aligner(example.rules);
    const Growth found = aligner.forward(example.a, example.b);
    if (found.open) continue;
    ++closed;
    const Tokens more = random_tokens(random, 10, 3);
    example.a.insert(example.a.end(), more.begin(), more.end());
    example.b.insert(example.b.end(), more.begin(), more.end());
    ASSERT_EQ(aligner.forward(example.a, example.b), found) << i;
  }
  EXPECT_GT(closed, 100);
}

TEST(Align, BridgesAGapOfTheGivenLengthAndNoMore) {
  Tokens passage(60);
  std::iota(passage.begin(), passage.end(), 1U);
  for (const unsigned edit : {1U, 2U}) {
    for (unsigned noise = 1; noise <= 12; ++noise) {
      Tokens substituted = passage;
      for (unsigned k = 0; k < noise; ++k) substituted[20 + k] = 1000 + k;
      Tokens lost = passage;
      lost.erase(lost.begin() + 20, lost.begin() + 20 + noise);
      for (const Tokens& other : {substituted, lost}) {
        Aligner aligner({1, edit, 8});
        const Growth found = aligner.forward(passage, other);
        const bool whole = noise <= 8;
        EXPECT_EQ(found.a, whole ? 60U : 20U) << noise;
        EXPECT_EQ(found.matches, whole ? 60U - noise : 20U) << noise;
        EXPECT_EQ(aligner.forward(other, passage).matches, found.matches) << noise;
      }
    }
  }
}

TEST(Align, EndsBehindTheLastTokenThatAgrees) {
  Aligner aligner({1, 1, 8});
  EXPECT_EQ(aligner.forward(Tokens{}, Tokens{}), (Growth{0, 0, 0, true}));
  EXPECT_EQ(aligner.forward(Tokens{1, 2}, Tokens{}), (Growth{0, 0, 0, true}));
  EXPECT_EQ(aligner.backward(Tokens{}, Tokens{1}), (Growth{0, 0, 0, true}));
  // The tokens behind a gap must score more than the gap costs.
  EXPECT_EQ(aligner.forward(Tokens{1, 2, 3, 4, 5}, Tokens{1, 2, 3, 9, 5}), (Growth{3, 3, 3, true}));
  EXPECT_EQ(aligner.forward(Tokens{1, 2, 3, 4, 5, 6}, Tokens{1, 2, 3, 9, 5, 6}), (Growth{6, 6, 5, true}));
}

TEST(Align, AlignsWholeRunsAtTheBestWorth) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 3000; ++i) {
    Example example = random_example(random);
    example.rules.max_gap = kNoDrop;
    const Table table(example.rules, example.a, example.b);
    Aligner aligner(example.rules);
    const std::vector<Aligner::Run> runs = aligner.align(example.a, example.b);
    std::size_t matches = 0;
    std::size_t edits = 0;
    std::size_t x = 0;
    std::size_t y = 0;
    for (const Aligner::Run& run : runs) {
      ASSERT_GT(run.length, 0U);
      ASSERT_TRUE(run.a >= x && run.b >= y);
      edits += std::max(run.a - x, run.b - y);
      for (std::size_t k = 0; k < run.length; ++k) ASSERT_EQ(example.a[run.a + k], example.b[run.b + k]);
      matches += run.length;
      x = run.a + run.length;
      y = run.b + run.length;
    }
    edits += std::max(example.a.size() - x, example.b.size() - y);
    const Table::Cell& cell = table.cells.back().back();
    ASSERT_EQ(static_cast<int>(example.rules.match * matches) - static_cast<int>(example.rules.edit * edits),
              cell.worth)
        << i;
    ASSERT_TRUE(cell.matches.contains(matches)) << i;
  }
}

TEST(Align, AlignsWholeRunsAlsoWhereGrowingWouldEnd) {
  Tokens a(400);
  std::iota(a.begin(), a.end(), 1U);
  Tokens b = a;
  for (std::size_t k = 100; k < 140; ++k) b[k] = 5000;
  Aligner aligner({1, 1, 8});
  EXPECT_EQ(aligner.forward(a, b).matches, 100U);
  const std::vector<Aligner::Run> expected{{0, 0, 100}, {140, 140, 260}};
  EXPECT_EQ(aligner.align(a, b), expected);
  const std::vector<Aligner::Run> nothing;
  EXPECT_EQ(aligner.align(a, Tokens()), nothing);
}

// A long passage costs time in proportion to its tokens and edits, both when grown and when aligned piecewise.
TEST(Align, IsNotQuadraticInTheLengthOfAPassage) {
  std::mt19937_64 random(6);
  const Tokens a = random_tokens(random, 200'000, 50'000);
  const Tokens b = noisy(random, a, 10, 50'000);
  Aligner aligner({1, 1, 8});
  const Growth found = aligner.forward(a, b);
  EXPECT_GT(found.a, a.size() - 20);
  EXPECT_GT(found.matches, a.size() * 85 / 100);
  EXPECT_LT(aligner.cells(), 10 * a.size());

  const std::uint64_t before = aligner.cells();
  const std::vector<Aligner::Run> runs = aligner.align(a, b);
  std::size_t matches = 0;
  for (const Aligner::Run& run : runs) matches += run.length;
  EXPECT_NEAR(static_cast<double>(matches), static_cast<double>(found.matches), 20);
  EXPECT_LT(aligner.cells() - before, 10 * a.size());
}

// Two texts of one repeated token, with different lengths: for a while, every diagonal is as good as any other.
TEST(Align, IsNotQuadraticWhereAllTokensAreEqual) {
  const Tokens a(100'000, 7);
  const Tokens b(60'000, 7);
  Aligner aligner({1, 1, 8});
  EXPECT_EQ(aligner.forward(a, b), (Growth{60'000, 60'000, 60'000, true}));
  EXPECT_LT(aligner.cells(), 1000U);
}

}  // namespace
}  // namespace refrain::blot
