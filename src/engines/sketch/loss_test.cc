#include "engines/sketch/loss.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "random_text.h"
#include "refrain/fingerprint.h"

namespace refrain::sketch {
namespace {

// The slow and obvious way: a word is held if the other text contains `window` consecutive words that include it.
Loss plain_loss(const Words& words, const Words& other, std::size_t window) {
  std::vector<bool> held(words.size());
  for (std::size_t i = 0; i + window <= words.size(); ++i)
    for (std::size_t j = 0; j + window <= other.size(); ++j)
      if (part(words, i, window) == part(other, j, window))
        for (std::size_t k = 0; k < window; ++k) held[i + k] = true;
  Loss loss;
  std::uint32_t run = 0;
  for (const bool one : held) {
    run = one ? 0 : run + 1;
    loss.tokens += one ? 0 : 1;
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
  for (const std::uint32_t max_loss : {std::uint32_t{0}, kDefaultMaxLoss, kAnyLoss}) {
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

}  // namespace
}  // namespace refrain::sketch
