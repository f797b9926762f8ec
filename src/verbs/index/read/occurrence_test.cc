#include "verbs/index/read/occurrence.h"

#include <gtest/gtest.h>

namespace refrain::verbs::index {
namespace {

std::string_view shown(const Occurrence& occurrence, std::size_t i) {
  return std::string_view(occurrence.text)
      .substr(occurrence.shared[i].begin, occurrence.shared[i].end - occurrence.shared[i].begin);
}

TEST(PlaceComparer, ShowsWhatAgreesAndWhere) {
  PlaceComparer comparer({}, {});
  // Its first token is number 5, and 100 bytes of the document lie before it.
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
  EXPECT_EQ(shown(found.occurrence, 1), "over lazy dog");  // what only the passage has does not cut it
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
