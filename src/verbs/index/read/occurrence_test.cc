#include "verbs/index/read/occurrence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace refrain::verbs::index {
namespace {

std::string_view shown(const Occurrence& occurrence, std::size_t i) {
  return std::string_view(occurrence.text)
      .substr(occurrence.shared[i].begin, occurrence.shared[i].end - occurrence.shared[i].begin);
}

TEST(PlaceComparer, ShowsWhatAgreesAndWhere) {
  PlaceComparer comparer({}, {});
  // The piece begins at byte 100 of the document, and its first token is number 5.
  const std::string source = "zero The quick, brown fox jumps over the lazy dog. And more";
  comparer.set_passage({source, 100, 5}, {6, 15});
  const ComparedPlace self = comparer.source();
  EXPECT_EQ(self.occurrence.text, "The quick, brown fox jumps over the lazy dog");
  EXPECT_EQ(self.occurrence.bytes, (ByteRange{105, 149}));
  EXPECT_EQ(self.matches, 9U);
  EXPECT_EQ(self.occurrence.shared, (std::vector<ByteRange>{{0, 44}}));

  const std::string other = "x y the QUICK brown\n> fox leaps over lazy dog! z";
  const ComparedPlace found = comparer.compare({other, 1000, 0}, {1, 11});
  EXPECT_EQ(found.matches, 7U);
  EXPECT_EQ(found.place, (TokenRange{2, 10}));
  EXPECT_EQ(found.passage, (TokenRange{6, 15}));
  EXPECT_EQ(found.occurrence.text, "the QUICK brown\n> fox leaps over lazy dog");
  EXPECT_EQ(found.occurrence.bytes, (ByteRange{1004, 1004 + found.occurrence.text.size()}));
  ASSERT_EQ(found.occurrence.shared.size(), 2U);
  EXPECT_EQ(shown(found.occurrence, 0), "the QUICK brown\n> fox");
  EXPECT_EQ(shown(found.occurrence, 1), "over lazy dog");  // words that only the passage has do not split it
  EXPECT_DOUBLE_EQ(found.occurrence.similarity, 7.0 / 9.0);
}

TEST(PlaceComparer, ComparesAPartOfThePassageAndMeasuresAllOfIt) {
  PlaceComparer comparer({}, {});
  comparer.set_passage({"a b c d e f g h", 0, 0}, {0, 8});
  const ComparedPlace found = comparer.compare({"x c d e f y", 0, 20}, {21, 25}, {2, 6});
  EXPECT_EQ(found.matches, 4U);
  EXPECT_EQ(found.passage, (TokenRange{2, 6}));
  EXPECT_EQ(found.place, (TokenRange{21, 25}));
  EXPECT_EQ(found.occurrence.text, "c d e f");
  EXPECT_DOUBLE_EQ(found.occurrence.similarity, 0.5);
}

TEST(PlaceComparer, SaysWhichTokensMoved) {
  PlaceComparer comparer({}, {});
  const auto compared = [&](std::string_view passage, const std::string& place) {
    const std::uint64_t words = 1 + static_cast<std::uint64_t>(std::count(passage.begin(), passage.end(), ' '));
    comparer.set_passage({passage, 0, 0}, {0, words});
    return comparer.compare_loosely({place, 0, 0}, {0, 100}, {0, words}).occurrence;
  };
  const auto moved = [&](std::string_view passage, const std::string& place) {
    const Occurrence found = compared(passage, place);
    std::vector<std::string> texts;
    for (const ByteRange& range : found.moved) texts.push_back(found.text.substr(range.begin, range.end - range.begin));
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(moved("a b c d e f", "a b c d e f"), Texts());
  EXPECT_EQ(moved("a b c d e f", "a x c d f"), Texts());
  EXPECT_EQ(moved("a b c d e f g h", "f, g a b c d e h"), Texts({"f, g"}));
  EXPECT_EQ(moved("a b c d e f", "a c b d x e"), Texts({"c"}));
  // Losing a word does not make equal words move.
  EXPECT_EQ(moved("the a b the c d the e", "b the c d the e"), Texts());
  EXPECT_EQ(moved("f e d c b a", "a b c d e f").size(), 1U);
  // Nor does losing very many of them.
  std::string place;
  for (int i = 0; i < 20; ++i) place += "of the x ";
  const Occurrence found = compared("y of the of the of the of the q of the r", place + "q of the r");
  EXPECT_LT(found.moved.back().end, found.text.find('q'));
}

// The oracle is the longest common subsequence, found with the full table.
TEST(PlaceComparer, MovesAsFewTokensAsCanBe) {
  std::mt19937_64 random(3);
  PlaceComparer comparer({}, {});
  for (int round = 0; round < 300; ++round) {
    // No word occurs more than twice, so that all of its places are choices.
    std::vector<int> a(20);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>(i) / 2;
    std::shuffle(a.begin(), a.end(), random);
    std::vector<int> b = a;
    for (int i = 0; i < round % 7; ++i) std::swap(b[random() % b.size()], b[random() % b.size()]);
    std::vector<std::vector<std::size_t>> row(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
      for (std::size_t j = 1; j <= b.size(); ++j)
        row[i][j] = a[i - 1] == b[j - 1] ? row[i - 1][j - 1] + 1 : std::max(row[i - 1][j], row[i][j - 1]);
    const auto text = [](const std::vector<int>& words) {
      std::string out;
      for (const int word : words) out += "w" + std::to_string(word) + " ";
      return out;
    };
    comparer.set_passage({text(a), 0, 0}, {0, a.size()});
    const Occurrence found = comparer.compare_loosely({text(b), 0, 0}, {0, b.size()}, {0, a.size()}).occurrence;
    std::size_t moved = 0;
    for (const ByteRange& range : found.moved)
      moved +=
          1 + static_cast<std::size_t>(std::count(found.text.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                                  found.text.begin() + static_cast<std::ptrdiff_t>(range.end), ' '));
    EXPECT_EQ(moved, b.size() - row[a.size()][b.size()]);
  }
}

TEST(PlaceComparer, ShowsNothingWhereNothingAgrees) {
  PlaceComparer comparer({}, {});
  comparer.set_passage({"a b c", 0, 0}, {0, 3});
  const ComparedPlace found = comparer.compare({"d e f", 0, 0}, {0, 3});
  EXPECT_EQ(found.matches, 0U);
  EXPECT_TRUE(found.occurrence.text.empty());
  EXPECT_EQ(comparer.compare({"", 0, 0}, {0, 0}).matches, 0U);
}

TEST(PlaceComparer, HasBytesOfTheOriginalAlsoWhereFoldingChangesLengths) {
  PlaceComparer comparer({}, {});
  comparer.set_passage({"stra\xC3\x9F"
                        "e \xC3\x84rger gro\xC3\x9F",
                        0, 0},
                       {0, 3});
  const std::string other = "\xFF\xFE \xE2\x80\x9CSTRASSE\xE2\x80\x9D \xC3\xA4rger GROSS.";
  const ComparedPlace found = comparer.compare({other, 0, 0}, {0, 3});
  EXPECT_EQ(found.matches, 3U);
  EXPECT_EQ(found.occurrence.text, other.substr(6, other.size() - 7));
}

}  // namespace
}  // namespace refrain::verbs::index
