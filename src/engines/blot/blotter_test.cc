#include "engines/blot/blotter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "engines/blot/format.h"
#include "refrain/error.h"
#include "text/token_hash.h"

namespace refrain::blot {
namespace {

std::uint64_t hash_of(std::string_view word) {
  return text::hash_token(HashKind::xxh3, word, 0);
}

std::vector<std::uint64_t> hashes_of(const std::vector<std::string>& words) {
  std::vector<std::uint64_t> hashes;
  for (const std::string& word : words) hashes.push_back(hash_of(word));
  return hashes;
}

std::vector<ChosenWindow> chosen_of(const IndexLayout& layout, const std::vector<std::uint64_t>& hashes) {
  std::vector<ChosenWindow> chosen;
  Blotter(layout).choose(hashes, 0, chosen);
  return chosen;
}

TEST(Blots, XorIsTheExclusiveOrOfTheTokens) {
  const IndexLayout layout{.window = 4, .blots = BlotKind::xor_all, .sampling = BlotSampling::all};
  const auto chosen = chosen_of(layout, hashes_of({"lorem", "ipsum", "dolor", "sit", "amet"}));
  ASSERT_EQ(chosen.size(), 3U);
  EXPECT_EQ(chosen[0].blot, hash_of("lorem") ^ hash_of("ipsum") ^ hash_of("dolor"));
  EXPECT_EQ(chosen[1].blot, hash_of("ipsum") ^ hash_of("dolor") ^ hash_of("sit"));
  EXPECT_EQ(chosen[2].blot, hash_of("dolor") ^ hash_of("sit") ^ hash_of("amet"));
  EXPECT_EQ(chosen[2].first, 2U);
}

TEST(Blots, XorOfAWordThatOccursTwiceForgetsIt) {
  const IndexLayout layout{.window = 4, .blots = BlotKind::xor_all, .sampling = BlotSampling::all};
  EXPECT_EQ(chosen_of(layout, hashes_of({"the", "cat", "the"}))[0].blot, hash_of("cat"));
}

TEST(Blots, InterleavedStreamsTakeEveryOtherToken) {
  const IndexLayout layout{.window = 2, .blots = BlotKind::xor_all, .sampling = BlotSampling::all, .interleave = 2};
  const auto chosen = chosen_of(layout, hashes_of({"a", "x", "b", "y", "c"}));
  ASSERT_EQ(chosen.size(), 3U);
  EXPECT_EQ(chosen[0].blot, hash_of("a") ^ hash_of("b"));
  EXPECT_EQ(chosen[1].blot, hash_of("x") ^ hash_of("y"));
  EXPECT_EQ(chosen[2].blot, hash_of("b") ^ hash_of("c"));
}

TEST(Blots, OfAllWindowsHoldThoseOfTheSample) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> hashes(5000);
  for (std::uint64_t& hash : hashes) hash = random() % 500;
  for (const unsigned window : {2U, 3U, 5U, 10U, 11U, 256U}) {
    const auto all = chosen_of({.window = window, .sampling = BlotSampling::all}, hashes);
    const auto sample = chosen_of({.window = window}, hashes);
    EXPECT_EQ(all.size(), hashes.size() - window / 2);
    for (const ChosenWindow& chosen : sample) ASSERT_EQ(all[chosen.first], chosen);
  }
}

TEST(Pairs, AreNeighboursInEitherOrderAndAQuarterIsChosen) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> hashes(40000);
  for (std::uint64_t& hash : hashes) hash = random();
  std::vector<ChosenWindow> chosen;
  choose_pairs(hashes, 100, chosen);
  EXPECT_NEAR(static_cast<double>(chosen.size()), 10000, 500);
  std::map<std::uint64_t, std::uint64_t> blot_at;
  for (const ChosenWindow& pair : chosen) blot_at[pair.first - 100] = pair.blot;
  for (std::size_t i = 0; i + 1 < hashes.size(); ++i) {
    const std::vector<std::uint64_t> swapped = {hashes[i + 1], hashes[i]};
    std::vector<ChosenWindow> one;
    choose_pairs(swapped, i, one);
    ASSERT_EQ(one.size(), blot_at.count(i));
    for (const ChosenWindow& pair : one) ASSERT_EQ(pair.blot, blot_at[i]);
  }
}

TEST(Pairs, OfAStreamAreThoseOfTheWholeText) {
  std::string text;
  std::vector<std::string> words;
  for (int i = 0; i < 30000; ++i) {
    words.push_back("w" + std::to_string(i * 7919 % 10007));
    text += words.back() + " ";
  }
  std::vector<ChosenWindow> expected;
  choose_pairs(hashes_of(words), 0, expected);
  for (const unsigned window : {2U, 10U}) {
    const auto tokenizer = text::make_tokenizer(TokenizerKind::words);
    BlotStream stream({.window = window}, *tokenizer);
    stream.start(text);
    std::vector<ChosenWindow> found;
    for (std::span<const ChosenWindow> chosen; stream.next(chosen);)
      found.insert(found.end(), stream.pairs().begin(), stream.pairs().end());
    EXPECT_EQ(found, expected);
  }
}

TEST(Pairs, HaveTheUpperHalfOfTheKeysAndOnlyWordsHaveThem) {
  const IndexLayout layout{.blot_bits = 20};
  EXPECT_EQ(key_bits(layout), 21U);
  EXPECT_EQ(pair_key(layout, ~std::uint64_t{0}), (std::uint64_t{1} << 21U) - 1);
  EXPECT_EQ(pair_key(layout, 0), std::uint64_t{1} << 20U);
  EXPECT_TRUE(checked_layout({}).pairs);
  EXPECT_FALSE(checked_layout({.tokenizer = TokenizerKind::chars}).pairs);
}

// The slow and obvious version, for the kinds that ignore order.
std::uint64_t plain_blot(BlotKind kind, std::span<const std::uint64_t> hashes, std::size_t first,
                         const BlotShape& shape) {
  std::uint64_t value = 0;
  for (unsigned j = 0; j < shape.tokens; ++j) {
    const std::uint64_t hash = hashes[first + std::size_t{j} * shape.stride];
    value = kind == BlotKind::xor_all ? value ^ hash : value + hash;
  }
  return value;
}

TEST(Blots, RollingGivesWhatEachWindowGivesAlone) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> hashes(300);
  for (auto& hash : hashes) hash = random();
  for (const BlotKind kind : {BlotKind::ordered, BlotKind::sum, BlotKind::xor_all})
    for (unsigned tokens = 1; tokens < 12; ++tokens)
      for (unsigned stride = 1; stride < 5; ++stride) {
        const BlotShape shape{tokens, stride};
        const auto function = make_blot_function(kind);
        std::vector<std::uint64_t> all(hashes.size() - shape.span() + 1);
        function->blots(hashes, shape, all.data());
        for (std::size_t i = 0; i < all.size(); ++i) {
          std::uint64_t alone = 0;
          function->blots(std::span(hashes).subspan(i, shape.span()), shape, &alone);
          ASSERT_EQ(all[i], alone);
          if (kind != BlotKind::ordered) {
            ASSERT_EQ(alone, plain_blot(kind, hashes, i, shape));
          }
        }
      }
}

TEST(Blots, OrderCountsForOrderedOnesAlone) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> hashes(6);
  for (auto& hash : hashes) hash = random();
  std::vector<std::uint64_t> turned(hashes.rbegin(), hashes.rend());
  for (const BlotKind kind : {BlotKind::ordered, BlotKind::sum, BlotKind::xor_all}) {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    make_blot_function(kind)->blots(hashes, {6, 1}, &a);
    make_blot_function(kind)->blots(turned, {6, 1}, &b);
    EXPECT_EQ(a == b, kind != BlotKind::ordered);
  }
}

// This value is stored in every index and must never change.
TEST(Blots, OrderedOnesAreWhatTheyWere) {
  const auto hashes = hashes_of({"a", "rose", "is", "a", "rose", "is"});
  std::uint64_t blot = 0;
  make_ordered_blots()->blots(hashes, {6, 1}, &blot);
  EXPECT_EQ(blot, 15691600566906653553U);
}

TEST(Syncmers, EveryRunOfAWindowHoldsAChosenOne) {
  std::mt19937_64 random(3);
  for (unsigned window = 2; window <= 24; ++window)
    for (const std::uint64_t words : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{5}, std::uint64_t{1} << 40U}) {
      std::vector<std::uint64_t> hashes(400);
      for (auto& hash : hashes) hash = (random() % words + 1) * 0x9E3779B97F4A7C15ULL;
      const IndexLayout layout{.window = window};
      const BlotShape shape = blot_shape(layout);
      const auto chosen = chosen_of(layout, hashes);
      std::set<std::uint64_t> firsts;
      for (const ChosenWindow& one : chosen) firsts.insert(one.first);
      for (std::size_t begin = 0; begin + window <= hashes.size(); ++begin) {
        const auto found = firsts.lower_bound(begin);
        ASSERT_TRUE(found != firsts.end() && *found + shape.span() <= begin + window) << window << " " << words;
      }
    }
}

TEST(Syncmers, AreChosenByTheirTokensAlone) {
  std::mt19937_64 random(4);
  std::vector<std::uint64_t> run(40);
  for (auto& hash : run) hash = random();
  const auto with_noise = [&](std::size_t before, std::size_t behind) {
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; i < before; ++i) hashes.push_back(random());
    hashes.insert(hashes.end(), run.begin(), run.end());
    for (std::size_t i = 0; i < behind; ++i) hashes.push_back(random());
    std::set<std::pair<std::uint64_t, std::uint64_t>> inside;
    for (const ChosenWindow& one : chosen_of({}, hashes))
      if (one.first >= before && one.first + 6 <= before + run.size()) inside.insert({one.first - before, one.blot});
    return inside;
  };
  const auto alone = with_noise(0, 0);
  EXPECT_FALSE(alone.empty());
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(with_noise(i, 30 - i), alone);
}

TEST(Syncmers, AreAboutAThirdOfTheWindows) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> hashes(100000);
  for (auto& hash : hashes) hash = random();
  const double share = static_cast<double>(chosen_of({}, hashes).size()) / static_cast<double>(hashes.size());
  EXPECT_NEAR(share, 1.0 / 3, 0.01);
}

std::string random_words(std::mt19937_64& random, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += "w" + std::to_string(random() % 5000);
    text += random() % 9 == 0 ? ".\n" : " ";
  }
  return text;
}

TEST(BlotStream, GivesWhatTheTokensOfTheWholeDocumentGive) {
  std::mt19937_64 random(6);
  const auto tokenizer = text::make_tokenizer(TokenizerKind::words);
  for (const IndexLayout& layout :
       {IndexLayout{}, IndexLayout{.window = 7, .blots = BlotKind::xor_all, .sampling = BlotSampling::all},
        IndexLayout{.window = 5, .sampling = BlotSampling::all, .interleave = 3}, IndexLayout{.window = 256}}) {
    BlotStream stream(layout, *tokenizer);
    for (const std::size_t words : {0U, 1U, 9U, 10U, 256U, 257U, 513U, 20000U}) {
      const std::string text = random_words(random, words);
      std::vector<std::uint64_t> hashes;
      std::vector<std::uint64_t> begins;
      text::TokenBlock block;
      for (std::size_t at = 0; at < text.size();) {
        at = tokenizer->next(text, at, block);
        for (std::size_t i = 0; i < block.size(); ++i) {
          hashes.push_back(hash_of(block.normal(i)));
          begins.push_back(block.range(i).begin);
        }
      }
      std::vector<ChosenWindow> expected;
      Blotter(layout).choose(hashes, 0, expected);
      std::vector<ChosenWindow> found;
      std::span<const ChosenWindow> more;
      stream.start(text);
      while (stream.next(more)) found.insert(found.end(), more.begin(), more.end());
      EXPECT_EQ(found, expected);
      EXPECT_EQ(stream.tokens(), hashes.size());
      const auto marks = stream.marks();
      ASSERT_EQ(marks.size(), marks_of(hashes.size()));
      for (std::size_t i = 0; i < marks.size(); ++i) {
        EXPECT_EQ(marks[i].begin, i == 0 ? 0 : begins[i * kMarkTokens]);
        const std::uint64_t end = i + 1 < marks.size() ? marks[i + 1].begin : text.size();
        EXPECT_EQ(marks[i].checksum,
                  mark_checksum(std::string_view(text).substr(marks[i].begin, end - marks[i].begin)));
      }
    }
  }
}

TEST(Layout, ThatMakesNoSenseIsRefused) {
  for (const IndexLayout& layout :
       {IndexLayout{.window = 1}, IndexLayout{.window = 257}, IndexLayout{.interleave = 0},
        IndexLayout{.interleave = 17}, IndexLayout{.blot_bits = 11}, IndexLayout{.blot_bits = 41},
        IndexLayout{.shards = 3}, IndexLayout{.shards = 128}, IndexLayout{.blot_tokens = 10},
        IndexLayout{.sampling = BlotSampling::all, .blot_tokens = 11}})
    EXPECT_THROW(checked_layout(layout), Error);
  EXPECT_EQ(checked_layout({.interleave = 2}).sampling, BlotSampling::all);
}

}  // namespace
}  // namespace refrain::blot
