// Tests what a query leaves out, and what it reports about documents that have changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "verbs/index/query/query.h"
#include "verbs/index/test_index.h"

namespace refrain::verbs::index {
namespace {

class QueryLimits : public testing::Test {
 protected:
  Words words(std::size_t count) { return random_words(random_, count, 1000000); }
  // `copies` documents that hold `shared` among other words.
  std::vector<std::string> around(const Words& shared, std::size_t copies) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < copies; ++i) {
      Words text = words(50);
      append(text, shared);
      append(text, words(50));
      texts.push_back(join(text));
    }
    return texts;
  }
  static std::vector<Passage> query(const TestIndex& index, const QueryOptions& options,
                                    QueryReport* report = nullptr) {
    std::vector<Passage> passages;
    const QueryReport reported = index.query(options, passages);
    if (report != nullptr) *report = reported;
    return passages;
  }

  std::mt19937_64 random_{31};
};

TEST_F(QueryLimits, TellsHowManyCandidatesNobodyCompared) {
  const Words shared = words(40);
  const TestIndex index(around(shared, 30));
  QueryOptions options;
  options.documents = {{"query", join(shared)}};
  options.max_occurrences = 7;
  QueryReport report;
  const std::vector<Passage> passages = query(index, options, &report);
  ASSERT_EQ(passages.size(), 1U);
  EXPECT_EQ(passages[0].occurrences.size(), 7U);
  EXPECT_EQ(passages[0].head.documents, 7U);
  EXPECT_EQ(passages[0].head.unverified, 23U);
  EXPECT_EQ(report.candidates, 30U);
  EXPECT_EQ(report.compared, 7U);
  EXPECT_EQ(report.occurrences, 7U);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(passages[0].occurrences[i].id, index.path(i));
}

TEST_F(QueryLimits, PassesOverBlotsInTooManyDocuments) {
  const Words common = words(40);
  const Words rare = words(40);
  std::vector<std::string> texts = around(common, 30);
  for (const std::string& text : around(rare, 3)) texts.push_back(text);
  const TestIndex index(texts);
  QueryOptions options;
  options.documents = {{"query", join(common) + " and " + join(rare)}};
  EXPECT_EQ(query(index, options).size(), 2U);
  options.limits.max_documents = 29;
  const std::vector<Passage> passages = query(index, options);
  ASSERT_EQ(passages.size(), 1U);
  EXPECT_EQ(passages[0].head.text, join(rare));
  options.limits.max_documents = 30;
  EXPECT_EQ(query(index, options).size(), 2U);
}

TEST_F(QueryLimits, LeavesOutWhatLiesInAnExcludedText) {
  const Words known = words(60);
  const Words shared = words(40);
  std::vector<std::string> texts = around(known, 3);
  for (const std::string& text : around(shared, 3)) texts.push_back(text);
  const TestIndex index(texts);
  QueryOptions options;
  options.documents = {{"query", join(part(known, 5, 50)) + " or " + join(shared)}};
  EXPECT_EQ(query(index, options).size(), 2U);
  options.limits.exclude = {join(known)};
  const std::vector<Passage> passages = query(index, options);
  ASSERT_EQ(passages.size(), 1U);
  EXPECT_EQ(passages[0].head.text, join(shared));
  options.limits.exclude = {join(part(shared, 0, 20))};
  EXPECT_EQ(query(index, options).size(), 2U) << "half of it is more than what was excluded";
}

TEST_F(QueryLimits, WantsAsManyTokensAsItWasTold) {
  const Words shared = words(25);
  const TestIndex index(around(shared, 2));
  QueryOptions options;
  options.documents = {{"query", join(shared)}};
  options.limits.min_tokens = 25;
  EXPECT_EQ(query(index, options).size(), 1U);
  options.limits.min_tokens = 26;
  EXPECT_EQ(query(index, options).size(), 0U);
}

TEST_F(QueryLimits, BridgesAsMuchNoiseAsItWasTold) {
  const Words shared = words(60);
  Words apart = part(shared, 0, 30);
  append(apart, words(5));
  append(apart, part(shared, 35, 25));
  const TestIndex index(around(shared, 1));
  QueryOptions options;
  options.documents = {{"query", join(apart)}};
  std::vector<Passage> passages = query(index, options);
  ASSERT_EQ(passages.size(), 1U);
  EXPECT_EQ(passages[0].head.length, 60U);
  options.limits.max_gap = 4;
  passages = query(index, options);
  ASSERT_EQ(passages.size(), 2U);
  EXPECT_EQ(passages[0].head.text, join(part(shared, 0, 30)));
  EXPECT_EQ(passages[1].head.text, join(part(shared, 35, 25)));
}

// No window between the ends is intact, so there are two chains. Growing from either one finds the whole passage.
TEST_F(QueryLimits, TellsAPlaceOnceThatTwoChainsLeadTo) {
  const Words shared = words(140);
  Words noisy = shared;
  for (std::size_t i = 30; i < 110; i += 5) noisy[i] = "x" + std::to_string(i);
  const TestIndex index(around(shared, 1));
  QueryOptions options;
  options.documents = {{"query", join(noisy)}};
  QueryReport report;
  const std::vector<Passage> passages = query(index, options, &report);
  EXPECT_EQ(report.candidates, 2U);
  ASSERT_EQ(passages.size(), 1U);
  EXPECT_EQ(passages[0].head.length, 140U);
  EXPECT_EQ(passages[0].occurrences.size(), 1U);
}

TEST_F(QueryLimits, ADocumentOfTheIndexIsNotItsOwnAnswer) {
  const Words shared = words(40);
  const TestIndex index(around(shared, 3));
  QueryOptions options;
  options.id = index.path(1);
  const std::vector<Passage> passages = query(index, options);
  ASSERT_EQ(passages.size(), 1U);
  EXPECT_EQ(passages[0].head.query, index.path(1));
  ASSERT_EQ(passages[0].occurrences.size(), 2U);
  EXPECT_EQ(passages[0].occurrences[0].id, index.path(0));
  EXPECT_EQ(passages[0].occurrences[1].id, index.path(2));

  options.id = "nobody";
  try {
    query(index, options);
    ADD_FAILURE() << "an id that is not there was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::not_found);
  }
}

TEST_F(QueryLimits, DocumentsWhoseFilesChangedAreNamedAndNotShown) {
  const Words shared = words(40);
  const TestIndex index(around(shared, 15));
  for (std::size_t i = 0; i < 12; ++i) index.write(index.path(i), index.texts()[i] + "!");
  std::filesystem::remove(index.path(14));
  QueryOptions options;
  options.documents = {{"query", join(shared)}};
  QueryReport report;
  const std::vector<Passage> passages = query(index, options, &report);
  ASSERT_EQ(passages.size(), 1U);
  ASSERT_EQ(passages[0].occurrences.size(), 2U);
  EXPECT_EQ(passages[0].occurrences[0].id, index.path(12));
  EXPECT_EQ(passages[0].head.documents, 2U);
  EXPECT_EQ(report.changed_documents, 13U);
  ASSERT_EQ(report.changed.size(), 10U);
  EXPECT_EQ(report.changed[3].id, index.path(3));
  EXPECT_NE(report.changed[3].reason.find(index.path(3)), std::string::npos);
}

TEST_F(QueryLimits, TextsWithoutTokensAndNoTextsGiveNothing) {
  const TestIndex index({"some text that is here", "", "..."});
  QueryOptions options;
  EXPECT_TRUE(query(index, options).empty());
  options.documents = {{"empty", ""}, {"dots", "... --- ..."}, {"short", "some text that"}};
  QueryReport report;
  EXPECT_TRUE(query(index, options, &report).empty());
  EXPECT_EQ(report.tokens, 3U);
  EXPECT_EQ(report.cursor, "");
}

TEST_F(QueryLimits, ADocumentThatDoesNotFitIsRefusedBeforeItIsRead) {
  std::string text;
  while (text.size() < std::size_t{40} << 20U) text += "some words that are here ";
  const TestIndex index({text, "other words"});
  const Context small{.memory_bytes = std::uint64_t{64} << 20U, .threads = 1};
  const auto refused = [&](const auto& ask) {
    try {
      ask();
      ADD_FAILURE() << "it was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::over_budget);
      EXPECT_NE(std::string_view(error.what()).find("text of"), std::string_view::npos) << error.what();
    }
  };
  refused([&] { Index(index.path()).document(index.path(0), small); });
  EXPECT_EQ(Index(index.path()).document(index.path(1), small)->text, "other words");
  refused([&] {
    Snapshot snapshot(index.path());
    KeptPassages kept;
    QueryOptions options;
    options.id = index.path(0);
    query_index(snapshot, options, small, kept);
  });
}

TEST_F(QueryLimits, StopsWhenAsked) {
  const Words shared = words(40);
  const TestIndex index(around(shared, 3));
  QueryOptions options;
  options.documents = {{"query", join(shared)}};
  std::stop_source stop;
  stop.request_stop();
  Context context = index.context();
  context.stop = stop.get_token();
  Snapshot snapshot(index.path());
  KeptPassages kept;
  try {
    query_index(snapshot, options, context, kept);
    ADD_FAILURE() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::interrupted);
  }
}

}  // namespace
}  // namespace refrain::verbs::index
