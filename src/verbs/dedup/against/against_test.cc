// Tests dedup --against by comparing it with a direct implementation of the definition in refrain/dedup.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "refrain/json_text.h"
#include "verbs/dedup/test_dedup.h"

namespace refrain::verbs::dedup {
namespace {

// Changes some of the words, removes them, or inserts a word before them.
Words edited(std::mt19937_64& random, const Words& words, std::size_t edits) {
  Words out = words;
  for (; edits > 0 && !out.empty(); --edits) {
    const auto at = out.begin() + static_cast<std::ptrdiff_t>(random() % out.size());
    if (random() % 4 == 0)
      out.erase(at);
    else if (random() % 3 == 0)
      out.insert(at, "new" + std::to_string(random() % 100));
    else
      *at = "other" + std::to_string(random() % 100);
  }
  return out;
}

struct Token {
  std::string text;
  std::size_t begin = 0;
  std::size_t end = 0;
};
std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::isalnum(static_cast<unsigned char>(text[i])) == 0) continue;
    if (tokens.empty() || tokens.back().end != i) tokens.push_back({"", i, i});
    tokens.back().text += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
    tokens.back().end = i + 1;
  }
  return tokens;
}

struct Found {
  double share = 0;
  std::size_t begin = 0;  // in bytes
  std::size_t end = 0;
};

// Implements the definition with tables of all distances and all common runs.
std::optional<Found> plain(const std::vector<Token>& item, const std::vector<Token>& text,
                           const DedupOptions& options) {
  const std::size_t size = item.size();
  if (size < options.against_min) return std::nullopt;
  const auto most = static_cast<std::size_t>(static_cast<double>(size) * (1 - options.against_share) + 1e-9);
  struct Cell {
    std::size_t distance = 0;
    std::size_t begin = 0;
  };
  std::vector<Cell> column(size + 1);
  std::vector<std::size_t> runs(size + 1, 0);
  for (std::size_t i = 0; i <= size; ++i) column[i] = {i, 0};
  std::size_t best = most + 1;
  std::size_t longest = options.against_passage - 1;
  Found whole;
  Found passage;
  for (std::size_t j = 1; j <= text.size(); ++j) {
    std::vector<Cell> next(size + 1);
    next[0] = {0, j};
    for (std::size_t i = size; i >= 1; --i) runs[i] = item[i - 1].text == text[j - 1].text ? runs[i - 1] + 1 : 0;
    for (std::size_t i = 1; i <= size; ++i) {
      Cell cell = {column[i - 1].distance + (item[i - 1].text == text[j - 1].text ? 0 : 1), column[i - 1].begin};
      for (const Cell& from : {column[i], next[i - 1]})
        if (from.distance + 1 < cell.distance || (from.distance + 1 == cell.distance && from.begin > cell.begin))
          cell = {from.distance + 1, from.begin};
      next[i] = cell;
      if (runs[i] > longest) {
        longest = runs[i];
        passage = {static_cast<double>(longest) / static_cast<double>(size), text[j - longest].begin, text[j - 1].end};
      }
    }
    column = next;
    if (column[size].distance < best) {
      best = column[size].distance;
      whole = {1 - static_cast<double>(best) / static_cast<double>(size), text[column[size].begin].begin,
               text[j - 1].end};
    }
  }
  if (whole.end != 0) return whole;
  return passage.end != 0 ? std::optional(passage) : std::nullopt;
}

class AgainstTest : public DedupTest {
 protected:
  // Every item has a name: n0, n1 and so on.
  std::string named(const std::vector<std::string>& texts, const std::string& name) {
    std::vector<std::string> records;
    for (std::size_t i = 0; i < texts.size(); ++i)
      records.push_back(json_record({{"name", "n" + std::to_string(i)}, {"text", texts[i]}}));
    return write_lines(name, records);
  }
  DedupOptions options(const std::vector<std::string>& texts, const std::vector<std::string>& items) {
    DedupOptions options = DedupTest::options(named(texts, "in.jsonl"));
    options.against.paths = {named(items, "test.jsonl")};
    return options;
  }
  // Runs, and compares every line with what the definition says. Returns how many items it found in documents.
  std::size_t compare(const DedupOptions& options, const std::vector<std::string>& texts,
                      const std::vector<std::string>& items);
};

std::size_t AgainstTest::compare(const DedupOptions& options, const std::vector<std::string>& texts,
                                 const std::vector<std::string>& items) {
  const DedupReport report = run(options);
  std::vector<std::vector<Token>> documents;
  for (const std::string& text : texts) documents.push_back(tokens_of(text));
  std::vector<std::map<std::size_t, Found>> by_document(texts.size());
  std::string expected;
  std::size_t all = 0;
  std::size_t found_items = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::vector<Token> item = tokens_of(items[i]);
    std::string found;
    std::size_t count = 0;
    for (std::size_t d = 0; d < texts.size(); ++d) {
      const std::optional<Found> place = plain(item, documents[d], options);
      if (!place) continue;
      by_document[d][i] = *place;
      if (++count <= 20)
        found += fmt::format(R"({}{{"id": "{}", "share": {:.6g}, "begin": {}, "end": {}}})", found.empty() ? "" : ", ",
                             d, place->share, place->begin, place->end);
    }
    expected += fmt::format(R"({{"id": "{}", "tokens": {}, "too_short": {}, "documents": {}, "found": [{}]}})", i,
                            item.size(), item.size() < options.against_min, count, found) +
                "\n";
    all += count;
    found_items += count != 0 ? 1 : 0;
  }
  EXPECT_EQ(read("out/against.jsonl"), expected);
  EXPECT_EQ(report.against.items, items.size());
  EXPECT_EQ(report.against.found, found_items);
  EXPECT_EQ(report.against.common, 0U);

  const std::vector<std::string> decisions = lines("out/decisions.jsonl");
  EXPECT_EQ(decisions.size(), texts.size());
  std::size_t removed = 0;
  for (std::size_t d = 0; d < std::min(decisions.size(), texts.size()); ++d) {
    const auto& hits = by_document[d];
    EXPECT_EQ(decisions[d].find(R"("reason": "against")") != std::string::npos, !hits.empty()) << decisions[d];
    if (hits.empty()) continue;
    ++removed;
    const auto best = std::max_element(hits.begin(), hits.end(),
                                       [](const auto& a, const auto& b) { return a.second.share < b.second.share; });
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    for (const auto& [item, place] : hits) spans.emplace_back(place.begin, place.end);
    std::sort(spans.begin(), spans.end());
    std::string joined;
    for (std::size_t i = 0; i < spans.size();) {
      auto [begin, end] = spans[i];
      for (++i; i < spans.size() && spans[i].first <= end; ++i) end = std::max(end, spans[i].second);
      joined += fmt::format("{}[{}, {}]", joined.empty() ? "" : ", ", begin, end);
    }
    const std::string start = fmt::format(
        R"({{"id": "{}", "keep": false, "reason": "against", "match": "{}", "similarity": {:.6g}, "spans": )"
        R"([{}], )",
        d, best->first, best->second.share, joined);
    EXPECT_TRUE(decisions[d].starts_with(start)) << decisions[d] << "\n" << start;
  }
  EXPECT_EQ(report.removed_against, removed);
  EXPECT_EQ(report.against.documents, removed);
  return all;
}

TEST_F(AgainstTest, FindsWhatTheDefinitionSays) {
  std::mt19937_64 random(1);
  // With few different words, much agrees by chance; with many, only what was planted agrees.
  for (const std::size_t different : {6, 60, 5000}) {
    std::vector<Words> items;
    for (int i = 0; i < 60; ++i) items.push_back(random_words(random, random() % (i % 5 == 0 ? 150 : 40), different));
    items[7] = items[6];
    items[9].assign(items[8].begin(), items[8].begin() + static_cast<std::ptrdiff_t>(items[8].size() / 2));
    std::vector<std::string> texts;
    for (int i = 0; i < 150; ++i) {
      Words words = random_words(random, random() % 100, different);
      for (std::size_t planted = random() % 3; planted > 0; --planted) {
        const Words& item = items[random() % items.size()];
        Words copy = edited(random, item, random() % 3 == 0 ? 0 : random() % (1 + item.size() / 3));
        if (random() % 4 == 0) copy.resize(copy.size() / 2);
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(random() % (words.size() + 1)), copy.begin(),
                     copy.end());
      }
      const char* const between[] = {" ", "\n", ", ", " -- "};
      texts.push_back(join(words, between[random() % 4]));
      if (random() % 3 == 0)
        for (char& c : texts.back()) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    std::vector<std::string> item_texts;
    for (const Words& item : items) item_texts.push_back(join(item));
    for (const double share : {0.6, 0.8, 1.0}) {
      DedupOptions wanted = options(texts, item_texts);
      wanted.against_share = share;
      EXPECT_GT(compare(wanted, texts, item_texts), 10U) << different << " " << share;
      if (HasFailure()) return;
    }
  }
}

TEST_F(AgainstTest, LongDocumentsAreSearchedWhole) {
  std::mt19937_64 random(2);
  std::vector<std::string> items;
  std::vector<Words> item_words;
  for (int i = 0; i < 12; ++i) item_words.push_back(random_words(random, i < 10 ? 60 : 1000, 100000));
  for (const Words& words : item_words) items.push_back(join(words));
  // Items occur anywhere in documents larger than a segment of the search, even across its boundaries.
  std::vector<std::string> texts;
  for (int i = 0; i < 2; ++i) {
    Words words = random_words(random, 36000, 100000);
    for (int k = 0; k < 10; ++k) {
      const Words copy = edited(random, item_words[static_cast<std::size_t>(k)], 6);
      words.insert(words.begin() + (i == 0 ? 15000 + 200 * k : 3000 * k + 100), copy.begin(), copy.end());
    }
    if (i == 0) words.insert(words.begin() + 11000, item_words[10].begin(), item_words[10].end());
    if (i == 1) words.insert(words.begin() + 14000, item_words[11].begin() + 100, item_words[11].begin() + 700);
    texts.push_back(join(words));
  }
  EXPECT_GE(compare(options(texts, items), texts, items), 22U);
}

TEST_F(AgainstTest, PassagesOfAnyLengthAreOne) {
  std::mt19937_64 random(3);
  const Words book = random_words(random, 60000, 100000);
  const Words part(book.begin() + 1000, book.begin() + 51000);
  const std::vector<std::string> texts = {join(random_words(random, 5000, 100000)) + " " + join(part) + " end",
                                          join(random_words(random, 200, 100000))};
  const DedupReport report = run(options(texts, {join(book)}));
  EXPECT_EQ(report.removed_against, 1U);
  const std::size_t end = texts[0].size() - 4;
  const std::string place =
      fmt::format(R"("share": {:.6g}, "begin": {}, "end": {}}})", 50000.0 / 60000, end - join(part).size(), end);
  EXPECT_NE(read("out/against.jsonl").find(place), std::string::npos) << read("out/against.jsonl") << place;
}

TEST_F(AgainstTest, ItemInManyDocumentsIsCountedAndTwentyAreNamed) {
  std::mt19937_64 random(4);
  const Words item = random_words(random, 30, 100000);
  std::vector<std::string> texts;
  for (int i = 0; i < 5000; ++i)
    texts.push_back(join(random_words(random, 30, 100000)) + "\n" + join(item) + "\n" +
                    join(random_words(random, 30, 100000)));
  const std::vector<std::string> items = {join(item), "never seen anywhere in all of these documents", "too short"};
  EXPECT_EQ(compare(options(texts, items), texts, items), 5000U);
  const DedupReport report = run(options(texts, items));
  EXPECT_EQ(report.kept, 0U);
  EXPECT_EQ(report.against.too_short, 1U);
  EXPECT_EQ(report.against.too_short_items, std::vector<std::string>{"2"});
}

TEST_F(AgainstTest, ItemsOfOneTemplateDoNotMultiplyTheWork) {
  std::mt19937_64 random(5);
  const std::string frame = "which of the following is the capital of the country that is called ";
  std::vector<std::string> items;
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i) items.push_back(frame + "c" + std::to_string(i) + " in the north of it");
  for (int i = 0; i < 1000; ++i)
    texts.push_back(items[static_cast<std::size_t>(3 * i)] + " number " + std::to_string(i));
  const DedupReport report = run(options(texts, items));
  EXPECT_EQ(report.removed_against, 1000U);
  EXPECT_GT(report.against.common, 0U);
  // Each document names the item that it really contains, found by a window that only this item has; of the other
  // items some are found.
  const std::vector<std::string> decisions = lines("out/decisions.jsonl");
  for (std::size_t i = 0; i < decisions.size(); ++i)
    EXPECT_NE(decisions[i].find(fmt::format(R"("match": "{}", "similarity": 1,)", 3 * i)), std::string::npos)
        << decisions[i];
  std::size_t rows = 0;
  for (const std::string& line : lines("out/against.jsonl"))
    rows += static_cast<std::size_t>(std::stoull(line.substr(line.find("documents\": ") + 12)));
  EXPECT_LE(rows, 1000U * (4 * 64 + 1));
}

TEST_F(AgainstTest, RepetitionsAreNotQuadratic) {
  // All windows are equal. A run that compared all places with each other would not finish.
  const std::string item = join(Words(4000, "a"));
  const std::string text = join(Words(300000, "a"));
  const DedupReport report = run(options({text, "b"}, {item, join(Words(5000, "a"))}));
  EXPECT_EQ(report.removed_against, 1U);
  EXPECT_EQ(report.against.found, 2U);
}

TEST_F(AgainstTest, WhatIsRemovedIsNobodysMatch) {
  std::mt19937_64 random(6);
  const std::string item = join(random_words(random, 20, 100000));
  const std::string page = join(random_words(random, 400, 100000));
  const std::vector<std::string> texts = {page + " " + item, page, page, page + " " + item};
  const DedupReport removed = run(options(texts, {item}));
  EXPECT_EQ(removed.removed_against, 2U);
  EXPECT_EQ(removed.removed_exact, 1U);
  EXPECT_EQ(removed.removed_near, 0U);
  EXPECT_EQ(removed.kept, 1U);
  std::vector<std::string> rows = lines("out/decisions.jsonl");
  EXPECT_TRUE(rows[1].starts_with(R"({"id": "1", "keep": true)")) << rows[1];
  EXPECT_NE(rows[2].find(R"("match": "1")"), std::string::npos) << rows[2];

  DedupOptions wanted = options(texts, {item});
  wanted.against_action = AgainstAction::mark;
  const DedupReport marked = run(wanted);
  EXPECT_EQ(marked.removed_against, 0U);
  EXPECT_EQ(marked.against.documents, 2U);
  EXPECT_EQ(marked.kept, 1U);
  rows = lines("out/decisions.jsonl");
  const std::string spans = fmt::format("[[{}, {}]]", page.size() + 1, page.size() + 1 + item.size());
  EXPECT_TRUE(rows[0].starts_with(R"({"id": "0", "keep": true)")) << rows[0];
  for (const std::size_t i : {0, 3})
    EXPECT_TRUE(rows[i].ends_with(R"("against": {"match": "0", "similarity": 1, "spans": )" + spans + "}}")) << rows[i];
  EXPECT_TRUE(rows[1].ends_with(R"("against": null})")) << rows[1];
}

TEST_F(AgainstTest, SameBytesForAnyThreadsAndMemoryAndAfterAnInterruption) {
  std::mt19937_64 random(7);
  std::vector<std::string> items;
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) items.push_back(join(random_words(random, 5 + random() % 80, 300)));
  for (int i = 0; i < 2000; ++i)
    texts.push_back(join(random_words(random, 50, 300)) +
                    (random() % 5 == 0 ? " " + items[random() % items.size()] : std::string()));
  const DedupOptions wanted = options(texts, items);
  run(wanted, 1, kMinMemoryBytes);
  const std::string whole = read("out/against.jsonl") + read("out/decisions.jsonl");
  for (const unsigned threads : {2U, 3U, 8U}) {
    run(wanted, threads);
    EXPECT_EQ(read("out/against.jsonl") + read("out/decisions.jsonl"), whole) << threads;
  }
  for (const std::string stage : {"against", "check"}) {
    std::stop_source stop;
    Context context;
    context.stop = stop.get_token();
    context.progress = [&](const ProgressUpdate& update) {
      if (update.stage == stage) stop.request_stop();
    };
    EXPECT_THROW(refrain::dedup(wanted, context), Error);
    DedupOptions again = wanted;
    again.force = false;
    again.resume = true;
    DedupOptions other = again;
    other.against_share = 0.9;
    EXPECT_THROW(run(other), Error) << "another share";
    const DedupReport report = run(again);
    EXPECT_EQ(std::ranges::count(report.resumed, "against"), stage == "against" ? 0 : 1);
    EXPECT_EQ(read("out/against.jsonl") + read("out/decisions.jsonl"), whole) << stage;
  }
}

TEST_F(AgainstTest, ChangedReferenceSetIsNotResumed) {
  const std::string item = "one two three four five six seven eight nine ten";
  const DedupOptions wanted = options({item, "x"}, {item});
  std::stop_source stop;
  Context context;
  context.stop = stop.get_token();
  context.progress = [&](const ProgressUpdate& update) {
    if (update.stage == "check") stop.request_stop();
  };
  EXPECT_THROW(refrain::dedup(wanted, context), Error);
  named({item, item + " eleven"}, "test.jsonl");
  DedupOptions again = wanted;
  again.force = false;
  again.resume = true;
  try {
    run(again);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
  }
}

TEST_F(AgainstTest, IdsOfSeveralFilesAreToldApart) {
  const std::string one = "one two three four five six seven eight nine ten";
  const std::string two = "ten nine eight seven six five four three two one";
  DedupOptions wanted = options({one, two}, {one});
  wanted.against.paths.push_back(named({two}, "more.jsonl"));
  run(wanted);
  EXPECT_NE(lines("out/decisions.jsonl")[1].find(R"("match": "1")"), std::string::npos) << "ordinals go through";
  wanted.against.id_field = "name";
  run(wanted);
  const std::vector<std::string> rows = lines("out/decisions.jsonl");
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NE(rows[i].find(fmt::format(R"("match": {})", json_text(wanted.against.paths[i] + ":n0"))),
              std::string::npos)
        << rows[i];
}

TEST_F(AgainstTest, EmptySetsFindNothing) {
  const DedupReport report = run(options({"a b c d e f g h i j", ""}, {}));
  EXPECT_EQ(report.removed_against, 0U);
  EXPECT_EQ(report.against.items, 0U);
  EXPECT_EQ(read("out/against.jsonl"), "");
  EXPECT_EQ(run(options({}, {"a b c d e f g h i j"})).against.found, 0U);
}

TEST_F(AgainstTest, ASetThatDoesNotFitIsRefusedWithTheFigure) {
  std::mt19937_64 random(8);
  std::vector<std::string> items;
  for (int i = 0; i < 40000; ++i) items.push_back(join(random_words(random, 100, 1000000)));
  try {
    run(options({"a"}, items), 1, kMinMemoryBytes);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget);
    EXPECT_NE(std::string(error.what()).find("`against` set"), std::string::npos) << error.what();
  }
}

TEST_F(AgainstTest, RefusesOptionsThatMakeNoSense) {
  const DedupOptions good = options({"a"}, {"b"});
  DedupOptions bad = good;
  bad.against_share = 0.5;
  EXPECT_THROW(run(bad), Error);
  bad = good;
  bad.against_passage = 7;
  EXPECT_THROW(run(bad), Error);
  bad = good;
  bad.against_min = 0;
  EXPECT_THROW(run(bad), Error);
  bad = good;
  bad.input.paths = {"-"};
  bad.against.paths = {"-"};
  EXPECT_THROW(run(bad), Error);
  DedupOptions alone = good;
  alone.exact = false;
  alone.near = NearMethod::off;
  EXPECT_EQ(run(alone).kept, 1U);
}

}  // namespace
}  // namespace refrain::verbs::dedup
