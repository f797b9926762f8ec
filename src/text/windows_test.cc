#include "text/windows.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "text/token_hash.h"

namespace refrain::text {
namespace {

std::vector<std::uint64_t> features(const FingerprintOptions& options, std::string_view text) {
  const FeaturePlan plan(options);
  FeatureStream stream(plan);
  std::vector<std::uint64_t> result;
  stream.start(text);
  for (std::span<const std::uint64_t> some; stream.next(some);) result.insert(result.end(), some.begin(), some.end());
  return result;
}

std::string random_words(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "w" + std::to_string(random() % 50) + " ";
  return text;
}

TEST(Windows, AFeatureDependsOnItsWindowAlone) {
  // At any place of a long text, the rolling hash equals that of the window's text by itself.
  const std::string text = random_words(9000, 1);
  for (const unsigned window : {2U, 3U, 5U, 16U}) {
    const auto all = features({.window = window}, text);
    ASSERT_EQ(all.size(), 9000 - window + 1);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{4321}, all.size() - 1}) {
      std::size_t begin = 0;
      for (std::size_t word = 0; word < i; ++word) begin = text.find(' ', begin) + 1;
      std::size_t end = begin;
      for (unsigned word = 0; word < window; ++word) end = text.find(' ', end) + 1;
      EXPECT_EQ(features({.window = window}, text.substr(begin, end - begin)), (std::vector<std::uint64_t>{all[i]}));
    }
  }
}

TEST(Windows, OrderCountsAndRepeatsDoNotCancel) {
  EXPECT_NE(features({.window = 2}, "a b"), features({.window = 2}, "b a"));
  EXPECT_NE(features({.window = 2}, "a a"), features({.window = 2}, "b b"));
}

TEST(Windows, FewerTokensThanAWindowGiveNothing) {
  EXPECT_TRUE(features({.window = 3}, "a b").empty());
  EXPECT_EQ(features({.window = 3}, "a b c").size(), 1U);
  EXPECT_TRUE(features({.window = 1}, " \n").empty());
}

TEST(Windows, OfOneTokenAreItsHash) {
  EXPECT_EQ(features({.hash = HashKind::sdbm, .window = 1}, "school"),
            (std::vector<std::uint64_t>{hash_sdbm("school")}));
}

TEST(Windows, Md5HashesTheTextOfTheWindow) {
  FingerprintOptions options{.tokenizer = TokenizerKind::whitespace_lower, .hash = HashKind::md5, .window = 2};
  EXPECT_EQ(features(options, "The  quick\nFox"),
            (std::vector<std::uint64_t>{hash_md5("the quick"), hash_md5("quick fox")}));
}

TEST(Windows, StopWordsAreGoneBeforeWindowsForm) {
  FingerprintOptions options{.window = 2, .stop_words = {"THE", "of"}};
  EXPECT_EQ(features(options, "the end Of the world"), features({.window = 2}, "end world"));
  options.hash = HashKind::md5;
  EXPECT_EQ(features(options, "the end Of the world"), features({.hash = HashKind::md5, .window = 2}, "end world"));
}

TEST(Windows, AStreamForgetsTheDocumentBefore) {
  const FeaturePlan plan({.window = 3});
  FeatureStream stream(plan);
  std::span<const std::uint64_t> some;
  stream.start("one two three four five");
  while (stream.next(some)) {
  }
  stream.start("a b c");
  ASSERT_TRUE(stream.next(some));
  EXPECT_EQ(std::vector<std::uint64_t>(some.begin(), some.end()), features({.window = 3}, "a b c"));
}

}  // namespace
}  // namespace refrain::text
