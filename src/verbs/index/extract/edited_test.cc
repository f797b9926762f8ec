// Compares an extraction with a query of the index with itself: both find the same, but an extraction reports every
// passage at its first place. (Similarities differ: in an extraction they are relative to the whole passage, in a query
// to the part that agrees.)
#include <algorithm>
#include <compare>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "verbs/index/extract/test_extract.h"
#include "verbs/index/query/query.h"

namespace refrain::verbs::index {
namespace {

// A passage of one document that also occurs in another one.
struct Row {
  std::string from;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string id;
  std::uint64_t place_begin = 0;
  std::uint64_t place_end = 0;
  friend auto operator<=>(const Row&, const Row&) = default;
  bool holds(const Row& other) const {
    return from == other.from && id == other.id && begin <= other.begin && end >= other.end &&
           place_begin <= other.place_begin && place_end >= other.place_end;
  }
};
using Rows = std::vector<Row>;

Rows extracted(TestExtract& world, const PassageLimits& limits, unsigned threads = 2,
               std::uint64_t memory = TestExtract::kMemory) {
  ExtractOptions options;
  options.limits = limits;
  Rows rows;
  for (const Passage& passage : world.extract(options, threads, memory)) {
    const Occurrence& first = passage.occurrences.front();
    for (std::size_t i = 1; i < passage.occurrences.size(); ++i) {
      const Occurrence& place = passage.occurrences[i];
      rows.push_back({first.id, first.bytes.begin, first.bytes.end, place.id, place.bytes.begin, place.bytes.end});
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

Rows asked(const TestExtract& world, const PassageLimits& limits) {
  QueryOptions options;
  options.self = true;
  options.limits = limits;
  options.limit = 0;
  options.max_occurrences = 0;
  Snapshot snapshot(world.at("index"));
  KeptPassages kept;
  query_index(snapshot, options, world.context(2, TestExtract::kMemory), kept);
  Rows rows;
  for (const Passage& passage : kept.passages)
    for (const Occurrence& place : passage.occurrences)
      rows.push_back({passage.head.query, passage.head.bytes.begin, passage.head.bytes.end, place.id, place.bytes.begin,
                      place.bytes.end});
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string shown(const Rows& rows) {
  std::string out;
  for (const Row& row : rows)
    out += row.from + ":" + std::to_string(row.begin) + "-" + std::to_string(row.end) + " in " + row.id + ":" +
           std::to_string(row.place_begin) + "-" + std::to_string(row.place_end) + "\n";
  return out;
}

class Edited : public testing::Test {
 protected:
  // A copy, or one with some words replaced, lost or inserted, with every third word replaced, with neighbors
  // swapped, or with its halves exchanged.
  Words edited(const Words& passage, std::uint64_t kind) {
    Words copy = passage;
    if (kind == 0) return copy;
    if (kind <= 3) return with_noise(random_, passage, static_cast<unsigned>(15 * kind));
    if (kind == 4)
      for (std::size_t i = 0; i < copy.size(); i += 3) copy[i] = rare_words(random_, 1)[0];
    if (kind == 5)
      for (std::size_t i = 0; i + 1 < copy.size(); i += 2) std::swap(copy[i], copy[i + 1]);
    if (kind == 6) std::rotate(copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2), copy.end());
    return copy;
  }
  // Documents in which every passage is shared by exactly two documents, and lies far from the next passage.
  std::vector<std::string> pairs() {
    std::vector<Words> documents(80);
    for (std::size_t i = 0; i < 160; ++i) {
      const Words passage = rare_words(random_, 12 + random_() % 100);
      const std::size_t first = random_() % documents.size();
      const std::size_t second = (first + 1 + random_() % (documents.size() - 1)) % documents.size();
      for (const std::size_t document : {first, second}) {
        append(documents[document], rare_words(random_, 1100));
        append(documents[document], document == first ? passage : edited(passage, i % 7));
      }
    }
    std::vector<std::string> texts;
    for (Words& words : documents) {
      append(words, rare_words(random_, 30));
      texts.push_back(join(words));
    }
    return texts;
  }

  std::mt19937_64 random_{11};
};

TEST_F(Edited, IsWhatAQueryOfTheIndexWithItselfTells) {
  TestExtract world(pairs());
  for (const Edits edits : {Edits::none, Edits::heavy}) {
    PassageLimits limits;
    limits.edits = edits;
    for (const std::uint64_t min_tokens : {0, 30}) {
      limits.min_tokens = min_tokens;
      const Rows expected = asked(world, limits);
      EXPECT_GT(expected.size(), 40U);
      EXPECT_EQ(shown(extracted(world, limits)), shown(expected));
    }
  }
}

TEST_F(Edited, TakesNoiseGapsAndExcludedTextsAsAQueryDoes) {
  const std::vector<std::string> texts = pairs();
  TestExtract world(texts);
  PassageLimits limits;
  limits.edits = Edits::heavy;
  const Rows all = asked(world, limits);
  for (int i = 0; i < 3; ++i) {
    PassageLimits some = limits;
    if (i == 0) some.noise = 0.3;
    if (i == 1) some.max_gap = 2;
    if (i == 2)
      for (std::size_t row = 0; row < all.size(); row += 3)
        some.exclude.push_back(texts[std::stoul(all[row].from)].substr(all[row].begin, all[row].end - all[row].begin));
    const Rows expected = asked(world, some);
    EXPECT_NE(shown(expected), shown(all));
    EXPECT_GT(expected.size(), 50U);
    EXPECT_EQ(shown(extracted(world, some)), shown(expected)) << i;
  }
}

TEST_F(Edited, LightEditsAreInOrderAndPartOfWhatAQueryTells) {
  TestExtract world(pairs());
  const Rows whole = asked(world, {});
  const Rows in_order = extracted(world, {});
  EXPECT_GT(in_order.size(), 80U);
  for (const Row& row : in_order)
    EXPECT_TRUE(std::any_of(whole.begin(), whole.end(), [&](const Row& other) { return other.holds(row); }))
        << shown({row});
}

TEST_F(Edited, APassageOfManyDocumentsIsToldAtItsFirstPlace) {
  const Words passage = rare_words(random_, 90);
  std::vector<std::string> texts;
  for (int i = 0; i < 30; ++i)
    texts.push_back(join(rare_words(random_, 60) + (i == 0 ? passage : with_noise(random_, passage, 20)) +
                         rare_words(random_, 60)));
  TestExtract world(texts);
  ExtractOptions options;
  options.limits.edits = Edits::heavy;
  const std::vector<Passage> found = world.extract(options);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].occurrences.front().id, "0");
  EXPECT_EQ(found[0].head.documents, 30U);
  EXPECT_NEAR(static_cast<double>(found[0].head.length), 90, 5);
  EXPECT_LE(found.size(), 3U);
}

// Copies of copies are not reported again, but whatever two documents share is reported for both.
TEST_F(Edited, WhatIsDroppedIsToldOfBothDocumentsByOthers) {
  std::vector<Words> documents(60);
  for (int i = 0; i < 60; ++i) {
    const Words passage = rare_words(random_, 30 + random_() % 90);
    for (int copies = 0; copies < 5; ++copies) {
      Words& document = documents[random_() % documents.size()];
      append(document, rare_words(random_, 60));
      append(document, edited(passage, random_() % 4));
    }
  }
  std::vector<std::string> texts;
  for (const Words& words : documents) texts.push_back(join(words + rare_words(random_, 60)));
  TestExtract world(texts);
  PassageLimits limits;
  limits.edits = Edits::heavy;
  const Rows all = asked(world, limits);
  const Rows rows = extracted(world, limits);
  EXPECT_LT(rows.size(), all.size() * 2 / 3);
  std::vector<std::vector<bool>> reported;
  for (const std::string& text : texts) reported.emplace_back(text.size());
  const auto tell = [&](const std::string& id, std::uint64_t begin, std::uint64_t end) {
    std::fill_n(reported[std::stoul(id)].begin() + static_cast<std::ptrdiff_t>(begin), end - begin, true);
  };
  for (const Row& row : rows) {
    tell(row.from, row.begin, row.end);
    tell(row.id, row.place_begin, row.place_end);
  }
  const auto share_told = [&](const std::string& id, std::uint64_t begin, std::uint64_t end) {
    const auto first = reported[std::stoul(id)].begin();
    return static_cast<double>(
               std::count(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end), true)) /
           static_cast<double>(end - begin);
  };
  for (const Row& row : all) {
    EXPECT_GT(share_told(row.from, row.begin, row.end), 0.8) << shown({row});
    EXPECT_GT(share_told(row.id, row.place_begin, row.place_end), 0.8) << shown({row});
  }
}

TEST_F(Edited, IsTheSameForAnyThreadsAndMemory) {
  TestExtract world(pairs());
  PassageLimits limits;
  limits.edits = Edits::heavy;
  const std::string expected = shown(extracted(world, limits, 1));
  EXPECT_EQ(shown(extracted(world, limits, 3)), expected);
  EXPECT_EQ(shown(extracted(world, limits, 2, kMinMemoryBytes)), expected);
}

TEST_F(Edited, OneWordOverAndOverAndManyCopiesStayLinear) {
  std::vector<std::string> texts(2000, join(rare_words(random_, 80)));
  texts.push_back(join(Words(20'000, "again")));
  texts.push_back(join(Words(20'000, "again")));
  TestExtract world(texts);
  ExtractOptions options;
  options.limits.edits = Edits::heavy;
  const std::vector<Passage> found = world.extract(options);
  ASSERT_GE(found.size(), 2U);
  EXPECT_EQ(found[0].head.documents, 2000U);
  EXPECT_EQ(found[1].head.documents, 2U);
  EXPECT_EQ(found[1].head.length, 20'000U);
}

}  // namespace
}  // namespace refrain::verbs::index
