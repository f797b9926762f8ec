#include "engines/matching/edit_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>

namespace refrain::matching {

std::ostream& operator<<(std::ostream& out, const EditPlace& place) {
  return out << '[' << place.begin << ", " << place.end << ") at " << place.distance;
}

namespace {

using Tokens = std::vector<std::uint32_t>;

// The slow and obvious way: the table of all distances, each with the last position where its path may begin.
std::optional<EditPlace> plain(const Tokens& pattern, const Tokens& text, std::size_t most) {
  struct Cell {
    std::size_t distance = 0;
    std::size_t begin = 0;
  };
  const auto better = [](const Cell& a, const Cell& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.begin > b.begin;
  };
  std::vector<Cell> column(pattern.size() + 1);
  for (std::size_t i = 0; i <= pattern.size(); ++i) column[i] = {i, 0};
  std::optional<EditPlace> best;
  for (std::size_t j = 1; j <= text.size(); ++j) {
    std::vector<Cell> next(pattern.size() + 1);
    next[0] = {0, j};
    for (std::size_t i = 1; i <= pattern.size(); ++i) {
      Cell cell = {column[i - 1].distance + (pattern[i - 1] == text[j - 1] ? 0 : 1), column[i - 1].begin};
      for (const Cell& from : {column[i], next[i - 1]})
        if (better({from.distance + 1, from.begin}, cell)) cell = {from.distance + 1, from.begin};
      next[i] = cell;
    }
    column = next;
    if (column.back().distance <= most && (!best || column.back().distance < best->distance))
      best = EditPlace{column.back().begin, j, column.back().distance};
  }
  return best;
}

class EditSearchTest : public testing::Test {
 protected:
  Context context_ = {.memory_bytes = kMinMemoryBytes, .threads = 1};
  MemoryBudget budget_{context_};
  EditSearch search_{budget_, 1000};
};

TEST_F(EditSearchTest, FindsWhatTheTableOfAllDistancesFinds) {
  std::mt19937_64 random(1);
  std::size_t found = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::uint32_t letters = 1 + static_cast<std::uint32_t>(random() % (round % 2 == 0 ? 4 : 900));
    const auto draw = [&](std::size_t size) {
      Tokens tokens(size);
      for (std::uint32_t& token : tokens) token = static_cast<std::uint32_t>(random() % letters);
      return tokens;
    };
    // Some patterns are long, so that blocks are skipped and needed again.
    const std::size_t longest = round % 10 == 0 ? 700 : 140;
    const Tokens pattern = draw(1 + random() % longest);
    Tokens text = draw(random() % (longest + 60));
    // Most texts contain the pattern with some edits.
    if (round % 3 != 0) {
      Tokens copy = pattern;
      for (std::size_t edits = random() % (1 + copy.size() / 4); edits > 0 && !copy.empty(); --edits) {
        const auto at = copy.begin() + static_cast<std::ptrdiff_t>(random() % copy.size());
        if (random() % 3 == 0)
          copy.erase(at);
        else if (random() % 2 == 0)
          copy.insert(at, 999);
        else
          *at = 998;
      }
      text.insert(text.begin() + static_cast<std::ptrdiff_t>(random() % (text.size() + 1)), copy.begin(), copy.end());
    }
    const std::size_t most = random() % pattern.size();
    const std::optional<EditPlace> place = search_.find(pattern, text, most);
    ASSERT_EQ(place, plain(pattern, text, most)) << round;
    found += place ? 1 : 0;
  }
  EXPECT_GT(found, 1000U);
}

TEST_F(EditSearchTest, PatternsEndAtAnyBitOfABlock) {
  for (std::size_t size = 1; size <= 200; ++size) {
    Tokens pattern(size);
    for (std::size_t i = 0; i < size; ++i) pattern[i] = static_cast<std::uint32_t>(i);
    Tokens text(7, 999);
    text.insert(text.end(), pattern.begin(), pattern.end());
    text.resize(text.size() + 5, 999);
    EXPECT_EQ(search_.find(pattern, text, 0), (EditPlace{7, 7 + size, 0})) << size;
    if (size < 3) continue;
    text.erase(text.begin() + 8);
    EXPECT_EQ(search_.find(pattern, text, 0), std::nullopt) << size;
    EXPECT_EQ(search_.find(pattern, text, 1)->distance, 1U) << size;
  }
}

TEST_F(EditSearchTest, NothingIsNowhere) {
  EXPECT_EQ(search_.find({}, Tokens{1, 2}, 0), std::nullopt);
  EXPECT_EQ(search_.find(Tokens{1, 2}, {}, 1), std::nullopt);
  EXPECT_EQ(search_.find(Tokens{1, 2}, Tokens{1, 2}, 2), std::nullopt) << "two edits make anything of it";
}

}  // namespace
}  // namespace refrain::matching
