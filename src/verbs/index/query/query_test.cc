#include "verbs/index/query/query.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "verbs/index/test_index.h"

namespace refrain::verbs::index {
namespace {

// Where the words [first, last) of a text made by join() begin and end.
ByteRange word_bytes(const Words& words, std::size_t first, std::size_t last) {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < first; ++i) begin += words[i].size() + 1;
  std::uint64_t end = begin;
  for (std::size_t i = first; i < last; ++i) end += words[i].size() + 1;
  return {begin, end - 1};
}

bool inside(const ByteRange& inner, const ByteRange& outer) {
  return inner.begin >= outer.begin && inner.end <= outer.end;
}

// A run of words that both texts have and that cannot be extended.
struct ExactRun {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t words = 0;
};

std::vector<ExactRun> exact_runs(const Words& a, const Words& b, std::size_t least) {
  std::vector<ExactRun> runs;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (i > 0 && j > 0 && a[i - 1] == b[j - 1]) continue;
      std::size_t words = 0;
      while (i + words < a.size() && j + words < b.size() && a[i + words] == b[j + words]) ++words;
      if (words >= least) runs.push_back({i, j, words});
    }
  return runs;
}

bool reported(const std::vector<Passage>& passages, const ByteRange& in_query, const std::string& id,
              const ByteRange& in_document) {
  for (const Passage& passage : passages)
    if (inside(in_query, passage.head.bytes))
      for (const Occurrence& occurrence : passage.occurrences)
        if (occurrence.id == id && inside(in_document, occurrence.bytes)) return true;
  return false;
}

// Whether an occurrence in this document covers more of the query.
bool told_of(const std::vector<Passage>& passages, const ByteRange& in_query, const std::string& id) {
  for (const Passage& passage : passages)
    for (const Occurrence& occurrence : passage.occurrences)
      if (occurrence.id == id && inside(in_query, occurrence.query) && in_query != occurrence.query) return true;
  return false;
}

std::size_t words_in(const std::string& text) {
  return text.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), ' '));
}

QueryOptions heavy(std::uint64_t min_tokens = 0) {
  QueryOptions options;
  options.limits.edits = Edits::heavy;
  options.limits.min_tokens = min_tokens;
  return options;
}

QueryOptions only_exact() {
  QueryOptions options;
  options.limits.edits = Edits::none;
  return options;
}

struct Kind {
  const char* name;
  IndexLayout layout;
  std::size_t different;  // number of distinct words
};

class QueryOfKind : public testing::TestWithParam<Kind> {};

TEST_P(QueryOfKind, FindsEveryExactCopyOfAWindowAndNothingThatIsNone) {
  const Kind& kind = GetParam();
  const std::size_t least = kind.layout.interleave * (kind.layout.window - 1) + 1;
  std::mt19937_64 random(3);
  std::size_t runs = 0;
  std::size_t told_heavily = 0;
  std::size_t told_in_part = 0;
  for (int world = 0; world < 4; ++world) {
    std::vector<Words> documents;
    std::vector<std::string> texts;
    for (int i = 0; i < 30; ++i) {
      documents.push_back(random_words(random, 20 + random() % 400, kind.different));
      texts.push_back(join(documents.back()));
    }
    const TestIndex index(texts, kind.layout);
    for (int asked = 0; asked < 8; ++asked) {
      Words query = random_words(random, random() % 40, kind.different);
      for (int i = 0; i < 6; ++i) {
        const Words& source = documents[random() % documents.size()];
        const std::size_t count = std::min<std::size_t>(source.size(), least + (i % 2 == 0 ? 0 : random() % 40));
        append(query, part(source, random() % (source.size() - count + 1), count));
        append(query, random_words(random, random() % 12, kind.different));
      }
      const std::vector<Passage> passages = index.query(join(query));
      const std::vector<Passage> exact = index.query(join(query), only_exact());
      const std::vector<Passage> edited = index.query(join(query), heavy());
      const std::vector<Passage> long_ones = index.query(join(query), heavy(20));
      for (std::size_t i = 0; i < documents.size(); ++i)
        for (const ExactRun& run : exact_runs(query, documents[i], least)) {
          ++runs;
          const auto is_covered = [&](const std::vector<Passage>& by) {
            return reported(by, word_bytes(query, run.a, run.a + run.words), index.path(i),
                            word_bytes(documents[i], run.b, run.b + run.words));
          };
          // It belongs to a longer passage, which the document holds at another place.
          const auto is_part = [&](const std::vector<Passage>& by) {
            return told_of(by, word_bytes(query, run.a, run.a + run.words), index.path(i));
          };
          const auto which = [&] {
            return std::to_string(run.words) + " words at " + std::to_string(run.a) + " of the query and " +
                   std::to_string(run.b) + " of " + std::to_string(i);
          };
          EXPECT_TRUE(is_covered(passages) || is_part(passages)) << which();
          EXPECT_TRUE(is_covered(exact)) << which();
          EXPECT_TRUE(run.words < 15 || is_covered(edited) || is_part(edited)) << which();
          EXPECT_TRUE(run.words < 20 || is_covered(long_ones) || is_part(long_ones)) << which();
          if (run.words >= 15) ++(is_covered(edited) ? told_heavily : told_in_part);
        }
      for (const Passage& passage : passages) {
        EXPECT_EQ(passage.head.length, words_in(passage.head.text));
        std::set<std::tuple<std::string, std::uint64_t, std::uint64_t>> seen;
        std::set<std::string> ids;
        for (const Occurrence& occurrence : passage.occurrences) {
          std::size_t shared = 0;
          for (const ByteRange& range : occurrence.shared) shared += words_in(TestIndex::slice(occurrence.text, range));
          EXPECT_GE(shared, kind.layout.window);
          EXPECT_TRUE(seen.emplace(occurrence.id, occurrence.bytes.begin, occurrence.bytes.end).second);
          ids.insert(occurrence.id);
        }
        EXPECT_EQ(passage.head.documents, ids.size());
      }
    }
  }
  EXPECT_GT(runs, 150U);
  EXPECT_GT(told_heavily, 60U);
  EXPECT_GT(told_heavily, 10 * told_in_part);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, QueryOfKind,
    testing::Values(
        Kind{"ordered", {}, 3000}, Kind{"few_words", {}, 12}, Kind{"window_2", {.window = 2}, 3000},
        Kind{"window_5", {.window = 5}, 200}, Kind{"all", {.sampling = BlotSampling::all}, 300},
        Kind{"sum", {.blots = BlotKind::sum}, 300},
        Kind{"xor_all", {.blots = BlotKind::xor_all, .sampling = BlotSampling::all}, 300},
        Kind{"interleaved", {.blots = BlotKind::xor_all, .sampling = BlotSampling::all, .interleave = 3}, 1000}),
    [](const testing::TestParamInfo<Kind>& kind) { return kind.param.name; });

TEST(Query, FindsPassagesOfThirtyWordsWithNoiseInOneOfTen) {
  std::mt19937_64 random(5);
  std::vector<Words> documents;
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) {
    documents.push_back(random_words(random, 600, 5000));
    texts.push_back(join(documents.back()));
  }
  const TestIndex index(texts);
  int found = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::size_t document = random() % documents.size();
    const std::size_t count = 30 + random() % 20;
    const std::size_t first = random() % (600 - count);
    Words query = random_words(random, 20, 1000000);
    append(query, with_noise(random, part(documents[document], first, count), 10));
    append(query, random_words(random, 20, 1000000));
    const ByteRange planted = word_bytes(documents[document], first, first + count);
    bool is_found = false;
    for (const Passage& passage : index.query(join(query)))
      for (const Occurrence& occurrence : passage.occurrences) {
        const std::uint64_t begin = std::max(occurrence.bytes.begin, planted.begin);
        const std::uint64_t end = std::min(occurrence.bytes.end, planted.end);
        if (occurrence.id == index.path(document) && begin < end && (end - begin) * 2 > planted.end - planted.begin)
          is_found = true;
      }
    found += is_found ? 1 : 0;
  }
  EXPECT_GE(found, kTrials * 95 / 100);
}

TEST(Query, TellsTheBytesOfTheFileAlsoWhereCharactersAreWide) {
  const std::string shared = "Größe ÄRGER über naïve Straße — Ωμέγα быстрая лиса прыгает через забор";
  const std::string text = "漢字 «élan» ☃ " + shared + " ☃ fin";
  const TestIndex index({"ничего", text});
  const std::string query = "ganz anders: größe Ärger  ÜBER\nnaïve straße ΩΜΈΓΑ Быстрая лиса прыгает через забор!";
  const std::vector<Passage> passages = index.query(query);
  ASSERT_EQ(passages.size(), 1U);
  ASSERT_EQ(passages[0].occurrences.size(), 1U);
  EXPECT_EQ(passages[0].head.query, "query");
  EXPECT_EQ(passages[0].head.bytes.begin, query.find("größe"));
  EXPECT_EQ(passages[0].head.bytes.end, query.size() - 1);
  EXPECT_EQ(passages[0].head.length, 11U);
  EXPECT_EQ(passages[0].occurrences[0].text, shared);
  EXPECT_EQ(passages[0].occurrences[0].bytes.begin, text.find(shared));
  EXPECT_EQ(passages[0].occurrences[0].similarity, 1.0);
}

// Texts that share parts of many lengths, and a query with all of them.
struct Pages {
  Pages() {
    std::mt19937_64 random(9);
    std::vector<Words> documents;
    for (int i = 0; i < 60; ++i) documents.push_back(random_words(random, 300, 4000));
    Words query;
    for (int i = 0; i < 25; ++i) {
      const Words copied = part(documents[random() % documents.size()], random() % 200, 10 + random() % 60);
      append(query, with_noise(random, copied, 8));
      for (std::uint64_t more = random() % 4; more > 0; --more)
        append(documents[random() % documents.size()], with_noise(random, copied, 5));
    }
    std::vector<std::string> texts;
    for (const Words& words : documents) texts.push_back(join(words));
    index.emplace(texts);
    append(query, documents[7]);
    options.documents = {{"first", join(query)}};
    options.max_occurrences = 3;
  }
  std::optional<TestIndex> index;
  QueryOptions options;
};

TEST(Query, PagesEndToEndAreOneLongAnswer) {
  Pages world;
  world.options.limit = 0;
  std::vector<Passage> whole;
  EXPECT_EQ(world.index->query(world.options, whole).cursor, "");
  ASSERT_GT(whole.size(), 25U);
  for (const std::uint64_t limit : {1U, 2U, 7U, 1000U}) {
    SCOPED_TRACE(limit);
    world.options.limit = limit;
    world.options.cursor.clear();
    std::vector<Passage> pages;
    std::size_t calls = 0;
    do {
      const std::size_t before = pages.size();
      const QueryReport report = world.index->query(world.options, pages);
      EXPECT_LE(pages.size() - before, limit);
      world.options.cursor = report.cursor;
      ASSERT_LT(++calls, 1000U);
    } while (!world.options.cursor.empty());
    EXPECT_GE(calls, whole.size() / limit);
    EXPECT_TRUE(pages == whole);
  }
}

TEST(Query, RefusesCursorsOfOtherQueriesAndWhatIsNone) {
  Pages world;
  world.options.limit = 1;
  std::vector<Passage> passages;
  const std::string good = world.index->query(world.options, passages).cursor;
  ASSERT_NE(good, "");
  const auto refused = [&](QueryOptions options, const std::string& cursor) {
    options.cursor = cursor;
    try {
      world.index->query(options, passages);
    } catch (const Error& error) {
      return error.code() == Errc::invalid_argument;
    }
    return false;
  };
  EXPECT_FALSE(refused(world.options, good));
  for (const char* bad : {"x", "00", "../..", "\xff", "'; drop table"}) EXPECT_TRUE(refused(world.options, bad)) << bad;
  QueryOptions other = world.options;
  other.documents[0].text += " more";
  EXPECT_TRUE(refused(other, good));
  other = world.options;
  other.limits.max_gap = 3;
  EXPECT_TRUE(refused(other, good));
  other = world.options;
  other.limit = 5;
  EXPECT_FALSE(refused(other, good)) << "the next page may be longer";
}

TEST(Query, RefusesACursorOnceTheIndexHasChanged) {
  Pages world;
  world.options.limit = 5;
  std::vector<Passage> passages;
  world.options.cursor = world.index->query(world.options, passages).cursor;
  ASSERT_NE(world.options.cursor, "");
  Index index(world.index->path());
  index.add({{"another", "nothing of it is in the query"}}, false, world.index->context());
  QueryOptions gone = world.options;  // what it asked for is no longer in the index
  gone.with = {"gone"};
  for (const QueryOptions& options : {world.options, gone}) {
    try {
      world.index->query(options, passages);
      ADD_FAILURE() << "it went on in another state";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::outdated);
      EXPECT_EQ(std::string(error.what()), "`cursor`: the index has changed since; repeat the query without it");
    }
  }
  EXPECT_EQ(passages.size(), 5U);
}

TEST(Query, StaysLinearForThousandsOfCopiesOfAWord) {
  std::string copies;
  for (int i = 0; i < 8000; ++i) copies += "same ";
  const TestIndex index({copies, "one two three", copies});
  QueryOptions options;
  options.documents = {{"query", copies}};
  options.limit = 0;
  options.max_occurrences = 0;
  std::vector<Passage> passages;
  const QueryReport report = index.query(options, passages);
  EXPECT_EQ(report.tokens, 8000U);
  EXPECT_LE(report.candidates, 2000U);
  EXPECT_LE(report.compared, report.candidates);
  ASSERT_FALSE(passages.empty());
  EXPECT_EQ(passages[0].head.length, 8000U);
  ASSERT_EQ(passages[0].occurrences.size(), 2U);
  EXPECT_EQ(passages[0].occurrences[1].similarity, 1.0);
}

TEST(Query, TakesWordsInAnotherOrderForCandidatesAndForNoMore) {
  std::mt19937_64 random(21);
  const Words words = random_words(random, 10, 1000000);
  Words shuffled = words;
  std::reverse(shuffled.begin(), shuffled.end());
  const TestIndex index({join(words)}, {.blots = BlotKind::xor_all, .sampling = BlotSampling::all});
  QueryOptions options;
  options.documents = {{"query", join(shuffled)}};
  std::vector<Passage> passages;
  const QueryReport report = index.query(options, passages);
  EXPECT_EQ(report.candidates, 1U);
  EXPECT_EQ(report.compared, 1U);
  EXPECT_TRUE(passages.empty());
  EXPECT_EQ(index.query(join(words)).size(), 1U);
}

TEST(Query, FindsEveryOtherWordWhereTheIndexIsInterleaved) {
  std::mt19937_64 random(22);
  const Words words = random_words(random, 40, 1000000);
  Words other = random_words(random, 40, 1000000);
  for (std::size_t i = 0; i < words.size(); i += 2) other[i] = words[i];
  for (const unsigned interleave : {1U, 2U}) {
    const TestIndex index({join(words)},
                          {.blots = BlotKind::xor_all, .sampling = BlotSampling::all, .interleave = interleave});
    const std::vector<Passage> passages = index.query(join(other));
    ASSERT_EQ(passages.size(), interleave - 1);
    if (interleave == 1) continue;
    EXPECT_EQ(passages[0].head.length, 39U);
    EXPECT_EQ(passages[0].occurrences[0].shared.size(), 20U);
  }
}

}  // namespace
}  // namespace refrain::verbs::index
