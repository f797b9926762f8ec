#include "engines/ngram/key_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/budget.h"
#include "engines/ngram/index/gram_output.h"
#include "engines/ngram/key_sample.h"
#include "engines/ngram/text_stream.h"
#include "engines/ngram/vocabulary.h"
#include "every_simd_target.h"
#include "text/token_hash.h"
#include "text/tokenizer.h"

namespace refrain::ngram {
namespace {

// Makes words of a few letters, some long, some not ASCII, so that a text takes several stretches.
std::string random_text(std::mt19937& random, std::size_t words) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    const unsigned kind = random() % 64;
    if (kind == 0)
      text += "Größe";
    else if (kind == 1)
      text += std::string(20 + random() % 40, static_cast<char>('a' + random() % 3));
    else
      text += std::string(1 + random() % 3, static_cast<char>('a' + random() % 4));
    text += random() % 8 == 0 ? ", " : " ";
  }
  return text;
}

std::vector<std::string> normals(const text::Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> words;
  text::TokenBlock block;
  for (std::size_t position = 0; position < text.size();) {
    position = tokenizer.next(text, position, block);
    for (std::size_t i = 0; i < block.size(); ++i) words.emplace_back(block.normal(i));
  }
  return words;
}

TEST(KeyStream, RollsToTheSameKeysAndTextsAsTheDirectWay) {
  on_every_simd_target([] {
    std::mt19937 random(1);
    const auto tokenizer = text::make_tokenizer(TokenizerKind::words);
    MemoryBudget budget(Context{.memory_bytes = std::uint64_t{64} << 20U, .threads = 1});
    for (const unsigned n : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 30U, 63U, 64U, 65U, 3000U}) {
      KeyStream keys(*tokenizer, n);
      TextStream texts(*tokenizer, n, budget);
      for (const std::size_t words : {0U, 1U, 7U, 8U, 40U, 30000U, 5U}) {
        const std::string text = random_text(random, words);
        const std::vector<std::string> all = normals(*tokenizer, text);
        std::vector<std::uint64_t> hashes;
        for (const std::string& word : all) hashes.push_back(text::hash_token(HashKind::xxh3, word, 0));
        const std::size_t grams = all.size() < n ? 0 : all.size() - n + 1;
        std::vector<std::uint64_t> rolled;
        keys.start(text);
        for (std::span<const std::uint64_t> some; keys.next(some);) {
          ASSERT_TRUE(some.empty() || keys.first() == rolled.size());
          rolled.insert(rolled.end(), some.begin(), some.end());
        }
        ASSERT_EQ(rolled.size(), grams);
        ASSERT_EQ(keys.tokens(), all.size());
        texts.start(text);
        std::size_t at = 0;
        while (texts.next())
          for (; at < texts.last(); ++at) {
            const std::uint64_t key = gram_key(std::span<const std::uint64_t>(hashes).subspan(at, n));
            ASSERT_EQ(rolled[at], key) << n << " " << at;
            if (n > 100 && at % 97 != 0) continue;  // for long n-grams, only some are checked
            std::string joined = all[at];
            for (unsigned i = 1; i < n; ++i) joined += ' ' + all[at + i];
            ASSERT_EQ(texts.text(at), joined);
            ASSERT_EQ(texts.key(at), key);
          }
        ASSERT_EQ(at, grams);
        ASSERT_EQ(texts.tokens(), all.size());
      }
    }
  });
}

TEST(DocumentTable, LocatesEveryPositionAlsoBesideEmptyDocuments) {
  std::mt19937 random(2);
  for (int round = 0; round < 50; ++round) {
    MemoryBudget budget(Context{.memory_bytes = std::uint64_t{64} << 20U, .threads = 1});
    DocumentTable table(budget);
    std::vector<std::pair<DocId, std::uint64_t>> places;
    const std::size_t documents = random() % 200;
    for (DocId document = 0; document < documents; ++document) {
      const std::uint64_t tokens = random() % 3 == 0 ? 0 : random() % (round % 2 == 0 ? 5 : 1000);
      table.add(tokens);
      for (std::uint64_t token = 0; token < tokens; ++token) places.emplace_back(document, token);
    }
    table.finish();
    ASSERT_EQ(table.size(), documents);
    ASSERT_EQ(table.tokens(), places.size());
    for (std::size_t position = 0; position < places.size(); ++position) {
      const DocumentTable::Place place = table.locate(position);
      ASSERT_EQ(std::pair(place.document, place.token), places[position]);
    }
  }
}

TEST(KeyParts, CutsTheRangeWhereTheSampleIsAndKeepsTheOrder) {
  std::mt19937_64 random(3);
  MemoryBudget budget(Context{.memory_bytes = std::uint64_t{64} << 20U, .threads = 1});
  for (const auto& [position_bits, cell_bits] : {std::pair(1U, 0U), {20U, 6U}, {20U, 0U}, {40U, 6U}, {60U, 6U}}) {
    std::vector<std::uint64_t> sample;
    for (int i = 0; i < 2000; ++i) sample.push_back(random() % 3 == 0 ? random() : 7 + (random() >> 40U));
    std::sort(sample.begin(), sample.end());
    const std::uint64_t low = sample.front() / 2;
    const KeyParts parts(low, ~std::uint64_t{0}, sample, 64, cell_bits, position_bits, budget);
    EXPECT_GT(parts.size(), 32U);
    std::pair<std::size_t, std::uint64_t> before{0, 0};
    for (const std::uint64_t key : sample) {
      const std::uint64_t position = random() & ((std::uint64_t{1} << position_bits) - 1);
      const auto [part, held] = parts.hold(key, position);
      ASSERT_EQ(held & ((std::uint64_t{1} << position_bits) - 1), position);
      const std::uint64_t record = held >> position_bits;
      ASSERT_LT(part, parts.size());
      const std::pair<std::size_t, std::uint64_t> now{part, record};
      ASSERT_GE(now, before);
      before = now;
    }
  }
}

TEST(KeySampler, KeepsAboutAsManyAsItMay) {
  std::vector<KeySampler> parts{KeySampler(1, 1000), KeySampler(2, 1000)};
  for (std::uint64_t key = 0; key < 100000;) {
    KeySampler& part = parts[key % 3 == 0 ? 1 : 0];
    const std::size_t batch = 50;
    std::size_t at = 0;
    while ((at += part.next(batch - at)) < batch) part.take(key + at++);
    key += batch;
  }
  MemoryBudget budget(Context{.memory_bytes = std::uint64_t{64} << 20U, .threads = 1});
  const Array<std::uint64_t> sample = joined_sample(parts, budget);
  EXPECT_GT(sample.size(), 300U);
  EXPECT_LT(sample.size(), 2000U);
  const auto middle = std::lower_bound(sample.begin(), sample.end(), 50000U) - sample.begin();
  EXPECT_NEAR(static_cast<double>(middle), static_cast<double>(sample.size()) / 2,
              static_cast<double>(sample.size()) / 8);
}

TEST(Vocabulary, NumbersWordsAsTheyComeAndCountsThem) {
  MemoryBudget budget(Context{.memory_bytes = std::uint64_t{64} << 20U, .threads = 1});
  Vocabulary vocabulary(budget);
  for (unsigned round = 0; round < 2; ++round)
    for (std::uint32_t i = 0; i < 50000; ++i) {
      const std::string word = std::to_string(i * 7919U % 50000U);
      const std::uint32_t id = vocabulary.add(word, text::hash_token(HashKind::xxh3, word, 0));
      ASSERT_EQ(id, i);
      ASSERT_EQ(vocabulary.word(id), word);
      ASSERT_EQ(vocabulary.count(id), round + 1);
    }
  EXPECT_EQ(vocabulary.size(), 50000U);
}

}  // namespace
}  // namespace refrain::ngram
