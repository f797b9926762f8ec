#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "refrain/error.h"
#include "refrain/kernels.h"
#include "refrain/ngrams.h"
#include "verbs/test_kernels.h"

namespace refrain {
namespace {

TEST(NgramKeyer, KeysAreEqualWhereNgramsAre) {
  std::mt19937_64 random(1);
  std::string text;
  std::vector<ByteRange> tokens;
  for (int i = 0; i < 5000; ++i) {
    text += i == 0 ? "" : random() % 5 == 0 ? " -- " : " ";
    const std::uint64_t begin = text.size();
    text += static_cast<char>('a' + random() % 4);
    tokens.push_back({begin, text.size()});
  }
  for (const unsigned n : {1U, 2U, 5U, 70U}) {
    const std::vector<NgramPlace> found = NgramKeyer(n)(text);
    ASSERT_EQ(found.size(), tokens.size() - n + 1);
    std::map<std::string, std::uint64_t> keys;
    std::map<std::uint64_t, std::string> texts;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].where, (ByteRange{tokens[i].begin, tokens[i + n - 1].end})) << i;
      std::string joined;
      for (std::size_t k = i; k < i + n; ++k) joined += text[tokens[k].begin];
      ASSERT_EQ(keys.try_emplace(joined, found[i].key).first->second, found[i].key);
      ASSERT_EQ(texts.try_emplace(found[i].key, joined).first->second, joined);
    }
  }
}

TEST(NgramKeyer, TextsAreNormalizedTokens) {
  std::string text = "One, two\u00a0THREE -- four";
  std::vector<std::string> expected = {"one two three", "two three four"};
  const NgramKeyer keyer(3);
  const std::vector<std::uint64_t> both = {0, 1};
  EXPECT_EQ(keyer.texts(text, both), expected);
  EXPECT_TRUE(keyer.texts(text, {}).empty());
  for (const std::vector<std::uint64_t>& none : {std::vector<std::uint64_t>{2}, {0, 2}})
    EXPECT_THROW(keyer.texts(text, none), Error);
  // Texts of a few n-grams here and there in a long text.
  text.clear();
  expected.clear();
  std::vector<std::uint64_t> tokens;
  for (std::uint64_t i = 0; i < 50'000; ++i) text += "T" + std::to_string(i) + "; ";
  for (std::uint64_t i = 0; i < 49'998; i += 1 + i % 977) {
    tokens.push_back(i);
    expected.push_back(fmt::format("t{} t{} t{}", i, i + 1, i + 2));
  }
  EXPECT_EQ(keyer.texts(text, tokens), expected);
}

TEST(NgramKeyer, NgramsOfAColumnAreThoseOfItsTexts) {
  Texts texts = hard_texts(2, 300);
  std::string longer;
  while (longer.size() < 100000) longer += *texts[9] + ", ";
  texts.emplace_back(longer);
  const NgramKeyer keyer(5);
  for (const Layout layout : kLayouts)
    for (const unsigned threads : kThreads) {
      const Column column(texts, layout);
      const ListColumn<NgramPlace> found = keyer.batch(column.view(), on(threads));
      ASSERT_EQ(found.size(), texts.size());
      for (std::size_t i = 0; i < texts.size(); ++i)
        ASSERT_TRUE(std::ranges::equal(found[i], texts[i] ? keyer(*texts[i]) : std::vector<NgramPlace>())) << i;
    }
}

TEST(NgramKeyer, KeysGroupAsTheNgramsVerbDoes) {
  const Texts texts = json_texts(3, 200);
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const NgramPlace& place : NgramKeyer(6).batch(Column(texts).view(), {}).values) ++counts[place.key];
  std::uint64_t entries = 0;
  std::uint64_t places = 0;
  for (const auto& [key, count] : counts)
    if (count > 1) {
      ++entries;
      places += count;
    }
  const World world;
  NgramsOptions options;
  options.n = 6;
  options.input.paths = {world.write_lines("in.jsonl", json_records(texts))};
  options.output = world.at("out");
  const NgramsReport report = build_ngrams(options, world.context());
  EXPECT_EQ(report.entries, entries);
  EXPECT_EQ(report.places, places);
  EXPECT_GT(entries, 1000U);
}

TEST(NgramKeyer, BrokenBytesAreBetweenTokens) {
  const std::vector<NgramPlace> plain = NgramKeyer(2)("one two");
  const std::vector<NgramPlace> found = NgramKeyer(2)("\xFF One\xC3\x28two");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key, plain[0].key);
  EXPECT_EQ(found[0].where, (ByteRange{2, 10}));
  EXPECT_EQ(NgramKeyer(2)("狐狸跳").size(), 2U);
}

TEST(NgramKeyer, RefusesLengthsThatMakeNoSense) {
  EXPECT_THROW(NgramKeyer(0), Error);
  EXPECT_THROW(NgramKeyer(kMaxNgramTokens + 1), Error);
}

TEST(NgramKeyer, WhatDoesNotFitIsRefused) {
  std::string text;
  while (text.size() < (std::size_t{8} << 20)) text += "a ";
  const Column column({text});
  try {
    NgramKeyer(3).batch(column.view(), {.memory_bytes = kMinMemoryBytes, .threads = 1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget);
  }
}

}  // namespace
}  // namespace refrain
