// Queries that are compared with some documents only, and an index that is compared with itself. The oracle is the
// unrestricted answer, without the places that were not asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "verbs/index/query/query.h"
#include "verbs/index/test_index.h"

namespace refrain::verbs::index {
namespace {

// The reported fields of a place, except for the passage that it belongs to.
struct Place {
  std::string query;
  std::string id;
  std::uint64_t query_begin;
  std::uint64_t query_end;
  std::uint64_t begin;
  std::uint64_t end;
  double similarity;
  double score;
  double query_share;
  double document_share;
  friend auto operator<=>(const Place&, const Place&) = default;
};
using Places = std::vector<Place>;

Places places_of(const std::vector<Passage>& passages) {
  Places places;
  for (const Passage& passage : passages)
    for (const Occurrence& one : passage.occurrences)
      places.push_back({passage.head.query, one.id, one.query.begin, one.query.end, one.bytes.begin, one.bytes.end,
                        one.similarity, one.score, one.query_share, one.document_share});
  std::sort(places.begin(), places.end());
  return places;
}

// Documents that share parts with each other: unedited, edited lightly or heavily, and some of them often.
class Wanted : public testing::Test {
 protected:
  static constexpr std::size_t kDocuments = 40;

  void SetUp() override {
    std::vector<Words> documents;
    const Words common = random_words(random_, 25, 1000000);
    for (std::size_t i = 0; i < kDocuments; ++i) {
      Words text = random_words(random_, 30 + random_() % 100, 800);
      for (std::uint64_t parts = random_() % 4; parts > 0 && i > 0; --parts) {
        const Words& from = documents[random_() % i];
        const std::size_t count = std::min<std::size_t>(from.size(), 12 + random_() % 90);
        const Words copied = part(from, random_() % (from.size() - count + 1), count);
        append(text, with_noise(random_, copied, static_cast<unsigned>(random_() % 4) * 15));
        append(text, random_words(random_, random_() % 30, 800));
      }
      if (i % 3 == 0) append(text, with_noise(random_, common, 10));
      documents.push_back(text);
      texts_.push_back(join(text));
    }
  }
  static QueryOptions all_of(Edits edits) {
    QueryOptions options;
    options.limits.edits = edits;
    options.limit = 0;
    options.max_occurrences = 0;
    return options;
  }
  static Places ask(const TestIndex& index, const QueryOptions& options, QueryReport* report = nullptr) {
    std::vector<Passage> passages;
    const QueryReport made = index.query(options, passages);
    if (report != nullptr) *report = made;
    return places_of(passages);
  }

  std::mt19937_64 random_{5};
  std::vector<std::string> texts_;
};

TEST_F(Wanted, APairHasTheRowsItHasInTheWholeAnswer) {
  const TestIndex index(texts_);
  for (const Edits edits : {Edits::none, Edits::light, Edits::heavy}) {
    std::size_t rows = 0;
    for (std::size_t asked = 0; asked < kDocuments; ++asked) {
      QueryOptions options = all_of(edits);
      options.documents = {{"q", texts_[asked]}};
      const Places whole = ask(index, options);
      std::size_t restricted = 0;
      for (std::size_t with = 0; with < kDocuments; ++with) {
        options.with = {index.path(with)};
        Places expected;
        std::copy_if(whole.begin(), whole.end(), std::back_inserter(expected),
                     [&](const Place& place) { return place.id == index.path(with); });
        const Places reported = ask(index, options);
        EXPECT_TRUE(reported == expected)
            << asked << " with " << with << ": " << reported.size() << " of " << expected.size();
        restricted += reported.size();
      }
      EXPECT_EQ(restricted, whole.size());
      rows += whole.size();
    }
    EXPECT_GT(rows, 2 * kDocuments);
  }
}

TEST_F(Wanted, APairHasItsRowsAlsoWhereWordsComeAgainAndAgain) {
  // A few words in a recurring order, cut and joined at random: there are hits and chains everywhere.
  const auto periodic = [&](std::size_t count) {
    Words text;
    while (text.size() < count) {
      const std::uint64_t from = random_() % 40;
      const std::uint64_t step = random_() % 5 == 0 ? 0 : 1;
      for (std::uint64_t k = 0, more = 4 + random_() % 50; k < more; ++k)
        text.push_back("w" + std::to_string((from + step * k) % 40));
    }
    return join(text);
  };
  std::vector<std::string> texts;
  for (int i = 0; i < 12; ++i) texts.push_back(periodic(60 + random_() % 400));
  const TestIndex index(texts, {.window = 6});
  for (const Edits edits : {Edits::light, Edits::heavy})
    for (int asked = 0; asked < 16; ++asked) {
      QueryOptions options = all_of(edits);
      options.limits.min_tokens = asked % 2 == 0 ? 0 : 4;
      if (asked % 4 > 1) options.limits.max_gap = 1;
      options.documents = {{"q", periodic(60 + random_() % 200)}};
      const Places whole = ask(index, options);
      for (std::size_t with = 0; with < texts.size(); ++with) {
        options.with = {index.path(with)};
        Places expected;
        std::copy_if(whole.begin(), whole.end(), std::back_inserter(expected),
                     [&](const Place& place) { return place.id == index.path(with); });
        EXPECT_TRUE(ask(index, options) == expected) << asked << " with " << with;
      }
    }
}

// One document holds a little more of an excluded text than another. Judged together, the outcome would differ from
// each alone.
TEST_F(Wanted, APairHasItsRowsAlsoWhereTextsAreExcluded) {
  std::vector<Words> shared;
  std::vector<std::string> texts;
  for (int i = 0; i < 10; ++i) shared.push_back(random_words(random_, 60, 1000000));
  for (std::size_t i = 0; i < 60; ++i) {
    const std::size_t first = random_() % 8;
    Words text = random_words(random_, 30, 1000000);
    append(text, part(shared[i % 10], first, 52 - random_() % 8));
    append(text, random_words(random_, 30, 1000000));
    texts.push_back(join(text));
  }
  const TestIndex index(texts);
  for (const Edits edits : {Edits::none, Edits::light, Edits::heavy}) {
    std::size_t rows = 0;
    std::size_t excluded = 0;
    for (std::size_t asked = 0; asked < shared.size(); ++asked) {
      QueryOptions options = all_of(edits);
      options.documents = {{"q", join(shared[asked])}};
      const std::size_t all = ask(index, options).size();
      options.limits.exclude = {join(part(shared[asked], 2, 46))};
      const Places whole = ask(index, options);
      Places one_by_one;
      for (std::size_t with = asked; with < texts.size(); with += 10) {
        options.with = {index.path(with)};
        for (const Place& place : ask(index, options)) one_by_one.push_back(place);
      }
      EXPECT_TRUE(one_by_one == whole) << asked << ": " << one_by_one.size() << " and " << whole.size();
      rows += whole.size();
      excluded += all - whole.size();
    }
    EXPECT_GT(rows, 10U);
    EXPECT_GT(excluded, 10U);
  }
}

TEST_F(Wanted, SeveralDocumentsAreTheUnionAndCostLess) {
  const TestIndex index(texts_);
  QueryOptions options = all_of(Edits::heavy);
  options.documents = {{"q", texts_[0]}};
  QueryReport whole;
  const Places all = ask(index, options, &whole);
  std::set<std::string> named;
  for (std::size_t i = 0; i < kDocuments; i += 2) {
    options.with.push_back(index.path(i));
    named.insert(index.path(i));
  }
  options.with.push_back(index.path(0));  // a second time
  QueryReport some;
  Places expected;
  std::copy_if(all.begin(), all.end(), std::back_inserter(expected),
               [&](const Place& place) { return named.contains(place.id); });
  EXPECT_TRUE(ask(index, options, &some) == expected);
  EXPECT_LT(some.candidates, whole.candidates);
}

TEST_F(Wanted, PairsAreThoseOfTheFileAndWhatIsUnknownIsCounted) {
  const TestIndex index(texts_);
  std::string lines;
  std::string rows = "id1\tid2\tdiff\r\n";
  for (std::size_t i = 0; i < kDocuments; ++i) {
    lines += R"({"name": "q)" + std::to_string(i) + R"(", "text": ")" + texts_[i] + "\"}\n";
    if (i % 4 == 0) continue;  // it is not queried
    for (const std::size_t with : {i, (i * 7) % kDocuments, (i + 3) % kDocuments})
      rows += "q" + std::to_string(i) + "\t" + index.path(with) + (i % 2 == 0 ? "\t3\r\n" : "\n");
  }
  const std::string very_long(100'000, 'x');
  rows += "\nq1\tno such\nq1\t" + very_long + "\nnobody\t" + index.path(1) + "\nnobody\t" + index.path(2);
  index.write(index.at("q.jsonl"), lines);
  index.write(index.at("pairs.tsv"), rows);
  QueryOptions options = all_of(Edits::light);
  options.input.paths = {index.at("q.jsonl")};
  options.input.id_field = "name";
  const Places whole = ask(index, options);
  options.pairs_file = index.at("pairs.tsv");
  QueryReport report;
  const Places reported = ask(index, options, &report);
  Places expected;
  for (const Place& place : whole) {
    const std::size_t i = std::stoul(place.query.substr(1));
    const std::size_t with = index.number(place.id);
    if (i % 4 != 0 && (with == i || with == (i * 7) % kDocuments || with == (i + 3) % kDocuments))
      expected.push_back(place);
  }
  EXPECT_GT(reported.size(), kDocuments / 2);
  EXPECT_TRUE(reported == expected);
  EXPECT_EQ(report.documents, kDocuments * 3 / 4);
  EXPECT_EQ(report.unknown_documents, 2U);
  EXPECT_EQ(report.unknown, (std::vector<std::string>{"no such", very_long.substr(0, 256)}));
  EXPECT_EQ(report.unknown_queries, 1U);
}

TEST_F(Wanted, AHeaderIsTheFirstLineOfAMatchesFileAndNoOther) {
  const TestIndex index({texts_[0]});
  QueryOptions options = all_of(Edits::none);
  options.documents = {{"id1", texts_[0]}, {"q", texts_[0]}};
  options.pairs_file = index.at("pairs");
  const auto reported = [&](const std::string& rows) {
    index.write(options.pairs_file, rows);
    QueryReport report;
    return std::tuple(ask(index, options, &report).size(), report.unknown, report.unknown_queries);
  };
  using Names = std::vector<std::string>;
  const std::string row = "q\t" + index.path(0) + "\n";
  for (const char* header : {"id1\tid2\n", "id1\tid2\tdiff\n", "id1\tid2\tsimilarity\r\n"})
    EXPECT_EQ(reported(header + row), std::tuple(1U, Names{}, 0U)) << header;
  EXPECT_EQ(reported("id1\tid2"), std::tuple(0U, Names{}, 0U));
  EXPECT_EQ(reported("id1\tid20\n" + row), std::tuple(1U, Names{"id20"}, 0U));
  EXPECT_EQ(reported(row + "id1\tid2\n"), std::tuple(1U, Names{"id2"}, 0U));
  EXPECT_EQ(reported("id1\t" + index.path(0) + "\n" + row), std::tuple(2U, Names{}, 0U));
}

TEST_F(Wanted, RowsThatAreWrongAreNamed) {
  const TestIndex index({"one two three"});
  QueryOptions options;
  options.documents = {{"q", "text"}};
  options.pairs_file = index.at("pairs");
  const auto refusal = [&](const std::string& rows) -> std::string {
    index.write(options.pairs_file, rows);
    try {
      std::vector<Passage> passages;
      index.query(options, passages);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
      return error.what();
    }
    return "";
  };
  const auto named = [&](int line, const std::string& what) {
    return index.at("pairs") + ": line " + std::to_string(line) + ": " + what + "; a row is 'query id<TAB>document id'";
  };
  const std::string row = "q\t" + index.path(0) + "\n";
  EXPECT_EQ(refusal(row + "\n" + row), "") << "an empty line is none";
  EXPECT_EQ(refusal("no tab here"), named(1, "has no tab"));
  EXPECT_EQ(refusal("id1\tid2\r\n" + row + "\nq " + index.path(0) + "\n"), named(4, "has no tab"));
  EXPECT_EQ(refusal(row + "\t" + row), named(2, "has no query id"));
  EXPECT_EQ(refusal("q\t\n"), named(1, "has no document id"));
  EXPECT_EQ(refusal("q\t\t3\n"), named(1, "has no document id"));
  for (const std::size_t before : {std::size_t{0}, std::size_t{500'000}}) {
    const std::string rows = "q\t" + std::string(before, 'x') + "\n";
    const int line = before == 0 ? 1 : 2;
    EXPECT_EQ(refusal((before == 0 ? "" : rows) + "q\t" + std::string((1U << 20U) - 1, 'x') + "\n" + row),
              named(line, "longer than 1 MiB"));
    EXPECT_EQ(refusal((before == 0 ? "" : rows) + "q\t" + std::string((1U << 20U) - 2, 'x') + "\n" + row), "");
  }
}

TEST_F(Wanted, RefusesWhatItCannotKnow) {
  const TestIndex index({"one two three"});
  const auto refused = [&](QueryOptions options) {
    if (options.documents.empty() && options.input.empty() && !options.self) options.documents = {{"q", "text"}};
    try {
      std::vector<Passage> passages;
      index.query(options, passages);
    } catch (const Error& error) {
      return error.code();
    }
    return Errc::interrupted;
  };
  QueryOptions options;
  options.with = {"nobody"};
  EXPECT_EQ(refused(options), Errc::not_found);
  index.write(index.at("pairs"), "q\t" + index.path(0) + "\nno tab here\n");
  options.pairs_file = index.at("pairs");
  EXPECT_EQ(refused(options), Errc::invalid_argument);
  options.with.clear();
  EXPECT_EQ(refused(options), Errc::bad_input);
  options.pairs_file = index.at("missing");
  EXPECT_EQ(refused(options), Errc::not_found);
  index.write(index.at("pairs"), "0\t" + index.path(0) + "\n");
  index.write(index.at("q.txt"), "one\ntwo\n");
  options.pairs_file = index.at("pairs");
  options.input.paths = {index.at("q.txt")};
  options.input.format = Format::lines;
  EXPECT_EQ(refused(options), Errc::bad_input);
  options = {};
  options.self = true;
  options.documents = {{"q", "text"}};
  EXPECT_EQ(refused(options), Errc::invalid_argument);
}

TEST_F(Wanted, AnIndexIsComparedWithItselfEveryPairOnce) {
  const TestIndex index(texts_);
  Index(index.path()).remove({index.path(5)}, index.context());
  for (const Edits edits : {Edits::light, Edits::heavy}) {
    QueryOptions options = all_of(edits);
    Places expected;
    for (std::size_t i = 0; i < kDocuments; ++i) {
      if (i == 5) continue;
      options.id = index.path(i);
      for (const Place& place : ask(index, options))
        if (index.number(place.id) > i) expected.push_back(place);
    }
    options.id.clear();
    options.self = true;
    EXPECT_GT(expected.size(), kDocuments);
    index.on_any_threads(options, [&](const QueryReport& report, const std::vector<Passage>& passages) {
      EXPECT_TRUE(places_of(passages) == expected);
      EXPECT_EQ(report.documents, kDocuments - 2) << "the last has none after it";
    });
  }
}

TEST_F(Wanted, PairsOfTheIndexItself) {
  const TestIndex index(texts_);
  QueryOptions options = all_of(Edits::light);
  options.self = true;
  options.with = {index.path(0)};
  Places expected;
  QueryOptions own = all_of(Edits::light);
  for (std::size_t i = 1; i < kDocuments; ++i) {
    own.id = index.path(i);
    for (const Place& place : ask(index, own))
      if (place.id == index.path(0)) expected.push_back(place);
  }
  EXPECT_FALSE(expected.empty());
  EXPECT_TRUE(ask(index, options) == expected);
}

TEST_F(Wanted, SelfOfLittleIsNothing) {
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{}, std::vector<std::string>{""}, std::vector<std::string>{texts_[0]},
        std::vector<std::string>{texts_[0] + " " + texts_[0], "", "other"}}) {
    const TestIndex index(texts);
    QueryOptions options = all_of(Edits::heavy);
    options.self = true;
    EXPECT_TRUE(ask(index, options).empty());
  }
}

TEST_F(Wanted, ADocumentThatChangedIsCountedAndTheOthersAreCompared) {
  const TestIndex index({texts_[0], texts_[0], texts_[0]});
  index.write(index.path(0), "other text");
  QueryOptions options = all_of(Edits::light);
  options.self = true;
  QueryReport report;
  const Places reported = ask(index, options, &report);
  ASSERT_EQ(reported.size(), 1U);
  EXPECT_EQ(reported[0].query, index.path(1));
  EXPECT_EQ(reported[0].id, index.path(2));
  EXPECT_EQ(report.changed_documents, 1U);
}

TEST_F(Wanted, SharesAreOfAllTokens) {
  std::mt19937_64 random(1);
  const Words shared = random_words(random, 20, 1000000);
  Words query = random_words(random, 60, 1000000);
  append(query, shared);
  Words document = shared;
  append(document, random_words(random, 180, 1000000));
  const TestIndex index({join(document)});
  const std::vector<Passage> passages = index.query(join(query));
  ASSERT_EQ(passages.size(), 1U);
  EXPECT_DOUBLE_EQ(passages[0].occurrences.at(0).query_share, 0.25);
  EXPECT_DOUBLE_EQ(passages[0].occurrences.at(0).document_share, 0.1);
}

}  // namespace
}  // namespace refrain::verbs::index
