// Tests which edited passages a query finds, and that an answer depends on its document alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "verbs/index/query/query.h"
#include "verbs/index/test_index.h"

namespace refrain::verbs::index {
namespace {

class QueryEdits : public testing::Test {
 protected:
  Words words(std::size_t count) { return random_words(random_, count, 1000000); }
  // Replaces every `each`-th word.
  Words replaced(Words from, std::size_t each) {
    for (std::size_t i = 0; i < from.size(); i += each) from[i] = words(1)[0];
    return from;
  }
  // Puts `shared` between other words.
  std::string around(const Words& shared) {
    Words text = words(80);
    append(text, shared);
    append(text, words(80));
    return join(text);
  }
  static QueryOptions with(Edits edits) {
    QueryOptions options;
    options.limits.edits = edits;
    return options;
  }
  // One record per line.
  static std::string jsonl(const std::vector<std::string>& texts) {
    std::string lines;
    for (std::size_t i = 0; i < texts.size(); ++i)
      lines += R"({"name": "q)" + std::to_string(i) + R"(", "text": ")" + texts[i] + "\"}\n";
    return lines;
  }

  std::mt19937_64 random_{77};
};

TEST_F(QueryEdits, MaxGapIsTheLongestRunOfWordsThatIsBridged) {
  const Words shared = words(5 * 18);
  const auto spread = [&] {
    Words text;
    for (std::size_t i = 0; i < shared.size(); i += 5) {
      append(text, part(shared, i, 5));
      append(text, words(6));
    }
    return join(text);
  };
  const TestIndex index({spread()}, {.window = 5});
  const std::string query = spread();
  QueryOptions options;
  EXPECT_EQ(index.query(query, options).size(), 1U);
  options.limits.max_gap = 40;
  EXPECT_EQ(index.query(query, options).size(), 1U);
  options.limits.min_tokens = 5;
  options.limits.max_gap = 8;
  EXPECT_EQ(index.query(query, options).size(), 1U);
  options.limits.max_gap = 4;
  EXPECT_EQ(index.query(query, options).size(), 18U);
}

TEST_F(QueryEdits, BlotsThatIgnoreOrderReportWordsThatChangedPlaces) {
  const Words shared = words(60);
  Words swapped = shared;
  for (std::size_t i = 0; i + 1 < swapped.size(); i += 2) std::swap(swapped[i], swapped[i + 1]);
  for (const BlotKind kind : {BlotKind::sum, BlotKind::xor_all}) {
    const TestIndex index({around(shared), around({})}, {.blots = kind, .sampling = BlotSampling::all});
    const std::vector<Passage> passages = index.query(around(swapped));
    ASSERT_EQ(passages.size(), 1U);
    ASSERT_EQ(passages[0].occurrences.size(), 1U);
    EXPECT_EQ(passages[0].occurrences[0].id, index.path(0));
    EXPECT_GT(passages[0].occurrences[0].similarity, 0.9);
  }
}

// Every place found with a sample of the windows lies in one found with all of them, which find some more.
TEST_F(QueryEdits, AllWindowsFindWhatASampleFinds) {
  std::vector<std::string> texts;
  std::vector<std::string> queries;
  for (std::size_t i = 0; i < 120; ++i) {
    const Words shared = words(30);
    texts.push_back(around(shared));
    queries.push_back(around(replaced(shared, 1 + i / 8)));
  }
  const TestIndex sample(texts);
  const TestIndex all(texts, {.sampling = BlotSampling::all});
  const auto inside = [](const ByteRange& inner, const ByteRange& outer) {
    return inner.begin >= outer.begin && inner.end <= outer.end;
  };
  // The places with the number in the file name, which is the same in both.
  const auto places_of = [](const TestIndex& index, const std::string& query) {
    std::vector<std::pair<std::size_t, Occurrence>> places;
    for (const Passage& passage : index.query(query))
      for (const Occurrence& place : passage.occurrences) places.emplace_back(index.number(place.id), place);
    return places;
  };
  std::size_t by_sample = 0;
  std::size_t only_by_all = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto few = places_of(sample, queries[i]);
    const auto more = places_of(all, queries[i]);
    for (const auto& [number, place] : few) {
      EXPECT_EQ(number, i);
      EXPECT_TRUE(std::any_of(more.begin(), more.end(),
                              [&](const auto& other) {
                                return other.first == number && inside(place.query, other.second.query) &&
                                       inside(place.bytes, other.second.bytes);
                              }))
          << i << ": " << place.text;
    }
    by_sample += few.empty() ? 0 : 1;
    only_by_all += few.empty() && !more.empty() ? 1 : 0;
  }
  EXPECT_GT(by_sample, 50U);
  EXPECT_GT(only_by_all, 0U);
}

TEST_F(QueryEdits, MovedWordsCountWhereEditsAreHeavyOrBlotsIgnoreOrder) {
  const Words shared = words(60);
  Words swapped = shared;
  for (std::size_t i = 16; i < 44; i += 2) std::swap(swapped[i], swapped[i + 1]);
  const std::string text = around(shared);
  const std::string query = around(swapped);
  const auto similarity = [&](BlotKind kind, Edits edits) {
    const std::vector<Passage> passages = TestIndex({text}, {.blots = kind}).query(query, with(edits));
    if (passages.size() != 1 || passages[0].occurrences.size() != 1) return 0.0;
    EXPECT_NEAR(static_cast<double>(passages[0].head.length), 60, 2);
    EXPECT_FALSE(passages[0].occurrences[0].moved.empty());
    return passages[0].occurrences[0].similarity;
  };
  EXPECT_NEAR(similarity(BlotKind::ordered, Edits::light), 46.0 / 60, 0.03);
  EXPECT_NEAR(similarity(BlotKind::ordered, Edits::heavy), 1, 0.03);
  EXPECT_NEAR(similarity(BlotKind::xor_all, Edits::light), 1, 0.03);
  EXPECT_NEAR(similarity(BlotKind::sum, Edits::light), 1, 0.03);
}

TEST_F(QueryEdits, HeavyFindsWhatHasNoWindowLeft) {
  const Words shared = words(90);
  const TestIndex index({around(words(100)), around(shared), around(words(100))});
  const std::string query = around(replaced(shared, 3));
  EXPECT_TRUE(index.query(query, with(Edits::light)).empty());
  const std::vector<Passage> passages = index.query(query, with(Edits::heavy));
  ASSERT_EQ(passages.size(), 1U);
  ASSERT_EQ(passages[0].occurrences.size(), 1U);
  EXPECT_EQ(passages[0].occurrences[0].id, index.path(1));
  EXPECT_NEAR(static_cast<double>(passages[0].head.length), 90, 6);
  EXPECT_NEAR(passages[0].occurrences[0].similarity, 0.67, 0.05);
  EXPECT_GT(passages[0].occurrences[0].score, 100);
}

TEST_F(QueryEdits, ProseHasSummariesAndCodeHasNone) {
  const Words source = words(4500);
  Words summary;  // ten words of every five hundred
  for (std::size_t i = 40; i < source.size(); i += 500) append(summary, part(source, i, 10));
  const auto longest = [&](TokenizerKind tokenizer) {
    const TestIndex index({join(source)}, {.tokenizer = tokenizer});
    std::uint64_t bytes = 0;
    for (const Passage& passage : index.query(join(summary), with(Edits::light)))
      for (const Occurrence& one : passage.occurrences) bytes = std::max(bytes, one.bytes.end - one.bytes.begin);
    return static_cast<double>(bytes) / static_cast<double>(join(source).size());
  };
  EXPECT_GT(longest(TokenizerKind::words_nfkc), 0.8);
  for (const TokenizerKind tokenizer : {TokenizerKind::code, TokenizerKind::code_bare}) {
    EXPECT_GT(longest(tokenizer), 0);
    EXPECT_LT(longest(tokenizer), 0.01);
  }
}

TEST_F(QueryEdits, ScatteredWordsScoreLessThanASentence) {
  const Words sentence = words(40);
  Words scattered;  // the same words, with seven others after every four of them
  for (std::size_t i = 0; i < sentence.size(); i += 4) {
    append(scattered, part(sentence, i, 4));
    append(scattered, words(7));
  }
  const TestIndex index({around(sentence), around(scattered)});
  const std::vector<Passage> passages = index.query(around(sentence), with(Edits::heavy));
  std::map<std::string, double> scores;
  for (const Passage& passage : passages)
    for (const Occurrence& one : passage.occurrences) scores[one.id] = one.score;
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_NEAR(scores[index.path(1)], scores[index.path(0)] - 9 * 3, 1);  // nine gaps of seven words
}

TEST_F(QueryEdits, ASentenceOfHalfOfTheDocumentsRanksBelowARareOneOfItsLength) {
  const Words common = words(40);
  const Words rare = words(40);
  const Words longer = words(60);
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) texts.push_back(around(i % 2 == 0 ? common : words(40)));
  texts[7] = around(rare);
  for (int i = 20; i < 40; ++i) texts[i] += " " + join(longer);
  const TestIndex index(texts);
  Words asked = longer;
  append(asked, words(50));
  append(asked, common);
  append(asked, words(50));
  append(asked, rare);
  for (const Edits edits : {Edits::none, Edits::light, Edits::heavy}) {
    const std::vector<Passage> passages = index.query(join(asked), with(edits));
    ASSERT_EQ(passages.size(), 3U);
    EXPECT_EQ(passages[0].head.text, join(rare));
    EXPECT_EQ(passages[1].head.text, join(longer));
    EXPECT_EQ(passages[2].head.text, join(common));
    EXPECT_GT(passages[0].head.score, 3 * passages[2].head.score);
    EXPECT_GT(passages[2].head.score, 0);
    EXPECT_EQ(passages[2].occurrences[0].similarity, 1.0);
    // Consecutive pages are in the same order.
    QueryOptions page = with(edits);
    page.documents = {{"query", join(asked)}};
    page.limit = 1;
    for (const Passage& passage : passages) {
      std::vector<Passage> one;
      page.cursor = index.query(page, one).cursor;
      ASSERT_EQ(one.size(), 1U);
      EXPECT_EQ(one[0].head.text, passage.head.text);
    }
  }
}

TEST_F(QueryEdits, HeavyFindsWhatLightFinds) {
  const Words shared = words(60);
  const TestIndex index({around(shared)});
  for (const Edits edits : {Edits::none, Edits::light, Edits::heavy}) {
    const std::vector<Passage> passages = index.query(around(shared), with(edits));
    ASSERT_EQ(passages.size(), 1U) << edits_names()[static_cast<std::size_t>(edits)];
    EXPECT_EQ(passages[0].head.text, join(shared));
    EXPECT_EQ(passages[0].occurrences[0].text, join(shared));
  }
}

TEST_F(QueryEdits, NoneIsExact) {
  const Words shared = words(60);
  Words changed = shared;
  changed[30] = "changed";
  const TestIndex index({around(shared)});
  const std::vector<Passage> passages = index.query(around(changed), with(Edits::none));
  ASSERT_EQ(passages.size(), 2U);
  for (const Passage& passage : passages) EXPECT_EQ(passage.head.similarity, 1);
}

TEST_F(QueryEdits, NoiseIsTheShareThatMayDiffer) {
  const Words shared = words(90);
  const TestIndex index({around(shared)});
  const std::string query = around(replaced(shared, 2));
  QueryOptions options = with(Edits::heavy);
  options.limits.noise = 0.2;
  EXPECT_TRUE(index.query(query, options).empty());
  options.limits.noise = 0;
  EXPECT_THROW(index.query(query, options), Error);
}

TEST_F(QueryEdits, AnIndexWithoutPairsAnswersHeavyAsFarAsItCan) {
  const Words shared = words(60);
  const TestIndex index({around(shared)}, {.pairs = false});
  EXPECT_EQ(index.query(around(shared), with(Edits::heavy)).size(), 1U);
}

TEST_F(QueryEdits, AnswersForADocumentDoNotDependOnTheOthers) {
  std::vector<Words> sources;
  std::vector<std::string> texts;
  for (int i = 0; i < 6; ++i) {
    sources.push_back(words(120));
    texts.push_back(around(sources.back()));
  }
  const TestIndex index(texts);
  std::vector<QueryDocument> asked;
  for (std::size_t i = 0; i < 30; ++i) {
    Words text = replaced(part(sources[i % 6], 0, 60 + i), 7 + i % 5);
    append(text, words(20));
    append(text, part(sources[(i + 1) % 6], 20, 40));
    asked.push_back({"q" + std::to_string(i), join(text)});
  }
  for (const Edits edits : {Edits::light, Edits::heavy}) {
    QueryOptions options = with(edits);
    std::vector<Passage> alone;
    for (const QueryDocument& document : asked) {
      options.documents = {document};
      index.query(options, alone);
    }
    options.documents = asked;
    std::vector<Passage> together;
    index.query(options, together);
    EXPECT_GE(alone.size(), 50U);
    EXPECT_TRUE(together == alone);
  }
}

TEST_F(QueryEdits, RecordsOfAFileAreAskedOneByOneOnAnyNumberOfThreads) {
  const Words shared = words(200);
  const TestIndex index({around(part(shared, 0, 100)), around(part(shared, 100, 100))});
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 40; ++i) texts.push_back(around(part(shared, 2 * i, 100)));
  index.write(index.at("q.jsonl"), jsonl(texts));
  QueryOptions options;
  options.limit = 1;
  std::vector<Passage> apart;
  std::uint64_t shortened = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    options.documents = {{"q" + std::to_string(i), texts[i]}};
    if (!index.query(options, apart).cursor.empty()) ++shortened;
  }
  EXPECT_GT(shortened, 10U);
  EXPECT_EQ(apart.size(), texts.size());
  options.documents.clear();
  options.input.paths = {index.at("q.jsonl")};
  options.input.id_field = "name";
  index.on_any_threads(options, [&](const QueryReport& report, const std::vector<Passage>& passages) {
    EXPECT_EQ(report.documents, texts.size());
    EXPECT_EQ(report.shortened, shortened);
    EXPECT_TRUE(report.cursor.empty());
    EXPECT_TRUE(passages == apart);
  });
}

TEST_F(QueryEdits, AnOccurrenceHasItsOwnRangeOfTheQuery) {
  const Words shared = words(60);
  const TestIndex index({around(shared), around(part(shared, 5, 50))});
  const std::string query = around(shared);
  const std::vector<Passage> passages = index.query(query);
  ASSERT_EQ(passages.size(), 1U);
  ASSERT_EQ(passages[0].occurrences.size(), 2U);
  EXPECT_EQ(TestIndex::slice(query, passages[0].occurrences[0].query), join(shared));
  EXPECT_EQ(TestIndex::slice(query, passages[0].occurrences[1].query), join(part(shared, 5, 50)));
}

TEST_F(QueryEdits, HostileTextStaysLinear) {
  std::string copies;
  std::string period;
  for (int i = 0; i < 20000; ++i) {
    copies += "same ";
    period += "word" + std::to_string(i % 60) + " ";
  }
  const TestIndex index({copies, period, copies, period});
  for (const std::string& text : {copies, period}) {
    const std::vector<Passage> passages = index.query(text, with(Edits::heavy));
    ASSERT_FALSE(passages.empty());
    EXPECT_EQ(passages[0].head.length, 20000U);
    EXPECT_EQ(passages[0].head.documents, 2U);
    for (const Passage& passage : passages) EXPECT_GE(passage.head.length, 15U);
  }
}

TEST_F(QueryEdits, VeryManyCopiesOfADocumentCostNoMoreThanTheyAre) {
  const Words page = words(80);
  std::vector<std::string> texts(3000, join(page));
  texts.push_back(around(page));
  const TestIndex index(texts);
  for (const Edits edits : {Edits::light, Edits::heavy}) {
    QueryOptions options = with(edits);
    options.documents = {{"q", around(page)}};
    options.limit = 0;
    options.max_occurrences = 0;
    std::vector<Passage> passages;
    const QueryReport report = index.query(options, passages);
    ASSERT_EQ(passages.size(), 1U);
    EXPECT_EQ(passages[0].head.documents, texts.size());
    EXPECT_LE(report.compared, 2 * texts.size());
  }
}

}  // namespace
}  // namespace refrain::verbs::index
