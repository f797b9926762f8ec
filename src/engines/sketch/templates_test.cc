#include "engines/sketch/templates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "random_text.h"
#include "text/windows.h"

namespace refrain::sketch {
namespace {

using Window = std::string;

std::vector<Window> plain_windows(const Words& words) {
  std::vector<Window> windows;
  for (std::size_t i = 0; i + 5 <= words.size(); ++i) windows.push_back(join(part(words, i, 5)));
  return windows;
}
std::set<Window> plain_set(const Words& words) {
  const std::vector<Window> windows = plain_windows(words);
  return {windows.begin(), windows.end()};
}

double plain_jaccard(const std::set<Window>& a, const std::set<Window>& b) {
  std::size_t common = 0;
  for (const Window& window : a) common += b.count(window);
  const std::size_t all = a.size() + b.size() - common;
  return all == 0 ? 1 : static_cast<double>(common) / static_cast<double>(all);
}

std::size_t plain_own_run(const Words& words, const std::set<Window>& other) {
  std::vector<bool> held(words.size());
  const std::vector<Window> windows = plain_windows(words);
  for (std::size_t i = 0; i < windows.size(); ++i)
    if (other.contains(windows[i])) std::fill_n(held.begin() + static_cast<std::ptrdiff_t>(i), 5, true);
  std::size_t run = 0;
  std::size_t longest = 0;
  for (const bool one : held) longest = std::max(longest, run = one ? 0 : run + 1);
  return longest;
}

std::map<Window, std::size_t> counts_of(const std::vector<Words>& documents) {
  std::map<Window, std::size_t> counts;
  for (const Words& words : documents)
    for (const Window& window : plain_set(words)) ++counts[window];
  return counts;
}

// The definition, in terms of words: counts all windows of all documents.
std::set<Window> plain_templates(const std::vector<Words>& documents) {
  std::vector<Words> wholes;
  for (const Words& words : documents) {
    const std::set<Window> windows = plain_set(words);
    const bool known = std::any_of(wholes.begin(), wholes.end(), [&](const Words& other) {
      return plain_jaccard(plain_set(other), windows) >= 0.8 && plain_own_run(words, plain_set(other)) <= 16;
    });
    if (!known) wholes.push_back(words);
  }
  std::set<Window> shared;
  for (const auto& [window, count] : counts_of(wholes))
    if (count >= 8) shared.insert(window);
  std::vector<Words> counted;
  std::vector<std::set<Window>> own_windows;
  for (const Words& words : wholes) {
    std::set<Window> rest;
    for (const Window& window : plain_set(words))
      if (!shared.contains(window)) rest.insert(window);
    if (rest != plain_set(words) && plain_own_run(words, shared) <= 16) continue;
    if (std::any_of(own_windows.begin(), own_windows.end(),
                    [&](const auto& other) { return plain_jaccard(other, rest) >= 0.5; }))
      continue;
    counted.push_back(words);
    own_windows.push_back(rest);
  }
  std::set<Window> found;
  std::size_t out = 0;
  std::size_t all = 0;
  for (const auto& [window, count] : counts_of(counted)) {
    all += count;
    if (count < 8 || 5 * count < counted.size()) continue;
    out += count;
    found.insert(window);
  }
  return 20 * out < all ? std::set<Window>() : found;
}

// The templates that the engine finds, as words.
std::set<Window> found_templates(const std::vector<Words>& documents, std::size_t most = 16384) {
  const text::FeaturePlan plan({.window = 5});
  text::FeatureStream stream(plan);
  std::vector<std::vector<std::uint64_t>> windows;
  std::map<std::uint64_t, Window> words_of;
  for (const Words& words : documents) {
    const std::string text = join(words);
    std::vector<std::uint64_t>& all = windows.emplace_back();
    stream.start(text);
    for (std::span<const std::uint64_t> features; stream.next(features);)
      all.insert(all.end(), features.begin(), features.end());
    const std::vector<Window> plain = plain_windows(words);
    EXPECT_EQ(all.size(), plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) words_of[all[i]] = plain[i];
  }
  const std::vector<std::uint64_t> found = template_windows(windows, {.window = 5, .most = most});
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  std::set<Window> as_words;
  for (const std::uint64_t window : found) as_words.insert(words_of.at(window));
  return as_words;
}

Words around(const Words& own, const Words& navigation) {
  Words words = part(navigation, 0, navigation.size() / 2);
  append(words, own);
  append(words, part(navigation, navigation.size() / 2, navigation.size() - navigation.size() / 2));
  return words;
}

TEST(Templates, AreWhatTheDefinitionSays) {
  std::mt19937_64 random(5);
  std::size_t with = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<Words> parts;
    for (int i = 0; i < 4; ++i) parts.push_back(random_words(random, 10 + random() % 80));
    std::vector<Words> documents;
    const std::size_t count = 5 + random() % 50;
    while (documents.size() < count) {
      Words words = random_words(random, random() % 60, random() % 2 == 0 ? 100'000 : 3);
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (random() % (i + 2) == 0) words = around(words, parts[i]);
      if (!documents.empty() && random() % 4 == 0)
        words = with_noise(random, documents[random() % documents.size()], static_cast<unsigned>(random() % 10));
      documents.push_back(words);
    }
    const std::set<Window> expected = plain_templates(documents);
    with += expected.empty() ? 0 : 1;
    EXPECT_EQ(found_templates(documents), expected) << round;
  }
  EXPECT_GT(with, 10U);
  EXPECT_LT(with, 40U);
}

TEST(Templates, ANavigationAroundDifferentArticlesIsOne) {
  std::mt19937_64 random(6);
  const Words navigation = random_words(random, 300);
  std::vector<Words> documents;
  for (int i = 0; i < 30; ++i) documents.push_back(around(random_words(random, 100), navigation));
  std::set<Window> expected = plain_set(part(navigation, 0, 150));
  expected.merge(plain_set(part(navigation, 150, 150)));
  EXPECT_EQ(found_templates(documents), expected);
  EXPECT_EQ(found_templates(documents, 50).size(), 50U);
  documents.resize(7);
  EXPECT_TRUE(found_templates(documents).empty());
}

TEST(Templates, CopiesWithAnotherDateAreOneDocument) {
  std::mt19937_64 random(7);
  const Words article = random_words(random, 200);
  std::vector<Words> documents;
  for (int i = 0; i < 50; ++i) documents.push_back(around({"on", std::to_string(i), "may"}, article));
  EXPECT_TRUE(found_templates(documents).empty());
  for (int i = 0; i < 50; ++i) documents.push_back(random_words(random, 100));
  EXPECT_TRUE(found_templates(documents).empty());
}

TEST(Templates, CopiesDoNotHideOne) {
  std::mt19937_64 random(8);
  const Words navigation = random_words(random, 60);
  std::vector<Words> documents;
  for (int i = 0; i < 10; ++i) {
    const Words page = around(random_words(random, 60), navigation);
    for (int copy = 0; copy < 12; ++copy) {
      documents.push_back(page);
      documents.back()[40] = "edit" + std::to_string(copy);
    }
  }
  EXPECT_EQ(found_templates(documents), plain_templates(documents));
  EXPECT_GT(found_templates(documents).size(), 40U);
}

TEST(Templates, ManyEditionsOfOneTextAreNone) {
  std::mt19937_64 random(9);
  const Words text = random_words(random, 300);
  std::vector<Words> documents;
  for (int i = 0; i < 40; ++i) documents.push_back(with_noise(random, text, 8));  // half of the windows differ
  EXPECT_TRUE(found_templates(documents).empty());
}

}  // namespace
}  // namespace refrain::sketch
