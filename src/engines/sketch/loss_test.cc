#include "engines/sketch/loss.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engines/sketch/comparer.h"
#include "engines/sketch/test_plain_loss.h"
#include "random_text.h"
#include "refrain/fingerprint.h"

namespace refrain::sketch {
namespace {

Loss plain_loss(const Words& words, const Words& other, std::size_t window) {
  Loss loss;
  std::uint32_t run = 0;
  for (const bool one : plainly_lost(words, other, window)) {
    run = one ? run + 1 : 0;
    loss.tokens += one ? 1 : 0;
    loss.longest = std::max(loss.longest, run);
  }
  return loss;
}

class LossTest : public testing::Test {
 protected:
  Loss loss(const std::string& text, const std::string& other, unsigned window = 5) {
    const text::FeaturePlan plan({.window = window});
    text::FeatureStream stream(plan);
    std::vector<std::uint64_t> own;
    const std::vector<std::uint64_t> windows = set(other, stream);
    const std::vector<std::uint64_t> of_text = set(text, stream);
    own_features(of_text, windows, own);
    const Loss loss = loss_of(text, own, window, stream);
    EXPECT_EQ(loss_against(text, of_text, windows, window, stream), loss);
    return loss;
  }

 private:
  static std::vector<std::uint64_t> set(const std::string& text, text::FeatureStream& stream) {
    std::vector<std::uint64_t> all;
    stream.start(text);
    for (std::span<const std::uint64_t> features; stream.next(features);)
      all.insert(all.end(), features.begin(), features.end());
    make_set(all);
    return all;
  }
};

TEST(Covers, NoAttachmentMayBeLostWhateverElseMay) {
  const Loss nothing;
  const Loss attachment{.attachments = 1};
  for (const std::uint32_t max_loss : {std::uint32_t{0}, kAutoLoss, kAnyLoss}) {
    EXPECT_TRUE(MatchRule{.max_loss = max_loss}.covers(nothing));
    EXPECT_FALSE(MatchRule{.max_loss = max_loss}.covers(attachment));
  }
}

TEST_F(LossTest, IsWhatTheDefinitionSays) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    const Words words = random_words(random, 5 + random() % 120);
    Words other = words;
    for (std::size_t changes = random() % 6; changes > 0; --changes) {
      const std::size_t at = random() % other.size();
      const Words own = random_words(random, random() % 20);
      other.insert(other.begin() + static_cast<std::ptrdiff_t>(at), own.begin(), own.end());
      other[random() % other.size()] = "changed";
    }
    for (const unsigned window : {1U, 2U, 5U}) {
      EXPECT_EQ(loss(join(words), join(other), window), plain_loss(words, other, window)) << i;
      EXPECT_EQ(loss(join(other), join(words), window), plain_loss(other, words, window)) << i;
    }
  }
}

TEST_F(LossTest, HasADirection) {
  std::mt19937_64 random(2);
  const Words words = random_words(random, 100);
  Words more = words;
  const Words own = random_words(random, 30);
  more.insert(more.begin() + 50, own.begin(), own.end());
  EXPECT_EQ(loss(join(words), join(more)), Loss{});
  EXPECT_EQ(loss(join(more), join(words)), (Loss{30, 30}));
}

TEST_F(LossTest, AChangedWordIsOne) {
  std::mt19937_64 random(3);
  const Words words = random_words(random, 100);
  for (const std::size_t at : {0U, 1U, 50U, 98U, 99U}) {
    Words other = words;
    other[at] = "changed";
    // Near an end, the words beyond the change are only in windows that contain it.
    const std::uint32_t expected = plain_loss(words, other, 5).tokens;
    EXPECT_EQ(loss(join(words), join(other)).tokens, expected);
    EXPECT_LE(expected, 2U);
  }
  EXPECT_EQ(loss(join(words), join(words)), Loss{});
  EXPECT_EQ(loss(join(words), "").tokens, 100U);
  EXPECT_EQ(loss("", join(words)), Loss{});
}

// The text has more words than a block of the tokenizer holds.
TEST_F(LossTest, OfALongText) {
  std::mt19937_64 random(4);
  Words words = random_words(random, 200'000);
  const std::string before = join(words);
  for (std::size_t i = 150'000; i < 150'040; ++i) words[i] = "own" + std::to_string(i);
  words[10] = "changed";
  EXPECT_EQ(loss(join(words), before), (Loss{41, 40}));
}

// Two texts, and whether the loss of the first is heavy next to the second.
class TwoTexts : public KeyedTexts {
 public:
  static bool heavy(const Words& removed, const Words& kept, bool in_memory = true) {
    TwoTexts texts(join(removed), join(kept), in_memory);
    const text::FeaturePlan plan({.window = 5});
    MemoryBudget budget{Context{}};
    Comparer comparer(texts, plan, MatchRule{.threshold = 0}, budget, 0);
    return comparer.loss(0, 1).heavy != 0;
  }

  TwoTexts(const std::string& one, const std::string& other, bool in_memory)
      : texts_{one, other}, in_memory_(in_memory) {}
  std::uint64_t bytes(std::uint64_t key) override { return texts_[key].size(); }
  std::string_view get(std::uint64_t key, std::string& scratch) override {
    if (in_memory_) return texts_[key];
    return scratch = texts_[key];
  }
  bool in_memory() const override { return in_memory_; }

 private:
  std::array<std::string, 2> texts_;
  bool in_memory_;
};

Words new_words(std::size_t count, const std::string& of) {
  Words words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = of + std::to_string(i);
  return words;
}

TEST(HeavyLoss, IsWhatTheDefinitionSays) {
  std::mt19937_64 random(5);
  std::size_t heavy = 0;
  constexpr std::size_t kTexts = 600;
  for (std::size_t i = 0; i < kTexts; ++i) {
    Words words = random_words(random, 50 + random() % 2000, i % 2 == 0 ? 300 : 100'000);
    Words other = words;
    for (std::size_t changes = random() % 12; changes > 0; --changes) {
      const Words own = random_words(random, random() % 30, random() % 2 == 0 ? 300 : 100'000);
      Words& changed = random() % 2 == 0 ? other : words;
      changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(random() % changed.size()), own.begin(), own.end());
    }
    for (std::size_t places = i % 3 == 0 ? random() % 12 : 0; places > 0; --places)
      words[random() % words.size()] = "subject";
    const bool expected = plainly_heavy(words, other, 5);
    EXPECT_EQ(TwoTexts::heavy(words, other, i % 2 == 0), expected) << i;
    EXPECT_EQ(TwoTexts::heavy(other, words), plainly_heavy(other, words, 5)) << i;
    heavy += expected ? 1 : 0;
  }
  EXPECT_GT(heavy, kTexts / 5);
  EXPECT_LT(heavy, 4 * kTexts / 5);
}

TEST(HeavyLoss, GrowsWithTheLengthOfTheText) {
  std::mt19937_64 random(6);
  for (const auto& [length, most] : std::vector<std::pair<std::size_t, std::size_t>>{{90, 6}, {1980, 20}, {9939, 61}}) {
    const Words kept = random_words(random, length);
    for (const std::size_t lost : {most, most + 1}) {
      Words removed = kept;
      append(removed, new_words(lost, "own"));
      EXPECT_EQ(TwoTexts::heavy(removed, kept), lost > most) << length;
    }
  }
}

TEST(HeavyLoss, WordsThatAreElsewhereCountAQuarter) {
  std::mt19937_64 random(7);
  const Words kept = random_words(random, 1600);
  Words removed = kept;
  Words shuffled = part(kept, 0, 60);
  std::ranges::reverse(shuffled);
  append(removed, shuffled);
  EXPECT_FALSE(TwoTexts::heavy(removed, kept));
  append(removed, new_words(10, "own"));
  EXPECT_TRUE(TwoTexts::heavy(removed, kept));
}

// As on two pages of a reference, which have most text in common.
TEST(HeavyLoss, TextWithASubjectOfItsOwnIsNotLost) {
  std::mt19937_64 random(8);
  const Words kept = random_words(random, 3000, 500);
  Words removed = kept;
  append(removed, random_words(random, 30, 500));
  EXPECT_FALSE(TwoTexts::heavy(removed, kept));
  for (const std::size_t place : {100U, 800U, 1700U}) removed[place] = "subject";
  EXPECT_FALSE(TwoTexts::heavy(removed, kept));
  removed[2500] = "subject";
  EXPECT_TRUE(TwoTexts::heavy(removed, kept));
  std::ranges::replace(removed, std::string("subject"), std::string("rfc2026"));
  EXPECT_FALSE(TwoTexts::heavy(removed, kept));
}

// Texts of a size that is not held in memory, and of which only the kept one has a subject.
TEST(HeavyLoss, OfALongTextIsTheSame) {
  std::mt19937_64 random(9);
  Words kept = random_words(random, 160'000);
  Words removed = kept;
  const Words own = random_words(random, 17, 1000);
  removed.insert(removed.begin() + 90'000, own.begin(), own.end());
  EXPECT_FALSE(TwoTexts::heavy(removed, kept, false));
  for (std::size_t i = 0; i < 30; ++i) kept[5000 * i + 7] = "subject";
  EXPECT_TRUE(plainly_heavy(removed, kept, 5));
  EXPECT_TRUE(TwoTexts::heavy(removed, kept, false));
  EXPECT_TRUE(TwoTexts::heavy(removed, kept));
}

// A list that has all entries of another one and more, as the index of an architecture has those of an older one.
TEST(HeavyLoss, AListIsNotLostForAPartOfIt) {
  Words kept;
  Words removed;
  for (std::size_t entry = 0; entry < 4000; ++entry) {
    const Words line = {"load", "entry" + std::to_string(entry / 2), "of", "part" + std::to_string(entry % 2), "here"};
    append(removed, line);
    if (entry % 100 != 99) append(kept, line);
  }
  EXPECT_TRUE(TwoTexts::heavy(removed, kept));
  EXPECT_FALSE(TwoTexts::heavy(kept, removed));
}

// Words and symbols are weighed; letters and bytes mean nothing alone.
TEST(Covers, WhatIsLostOfLettersIsOneRun) {
  const Loss loss{.tokens = 17, .longest = 17};
  EXPECT_TRUE(MatchRule{}.covers(loss));
  EXPECT_FALSE((MatchRule{.tokenizer = TokenizerKind::chars}.covers(loss)));
  EXPECT_FALSE(MatchRule{}.covers({.tokens = 17, .longest = 17, .heavy = 1}));
  EXPECT_TRUE(MatchRule{.max_loss = 17}.covers({.tokens = 17, .longest = 17, .heavy = 1}));
}

}  // namespace
}  // namespace refrain::sketch
