#include "text/windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "random_text.h"

namespace refrain::text {
namespace {

std::vector<std::uint64_t> all_windows(const std::string& text, FeatureStream& stream) {
  std::vector<std::uint64_t> all;
  stream.start(text);
  for (std::span<const std::uint64_t> features; stream.next(features);)
    all.insert(all.end(), features.begin(), features.end());
  return all;
}

std::vector<std::uint64_t> compared(const std::string& text, const LeftOut* left_out, FeatureStream& stream) {
  std::vector<std::uint64_t> all;
  compared_windows(
      text, left_out, stream, [&] { all.clear(); },
      [&](std::span<const std::uint64_t> some) { all.insert(all.end(), some.begin(), some.end()); });
  return all;
}

TEST(LeftOut, ContainsWhatItWasMadeOfAndNothingElse) {
  std::mt19937_64 random(1);
  for (const std::size_t count : {0U, 1U, 2U, 3U, 100U, 5000U}) {
    std::set<std::uint64_t> in;
    // The bits that determine the slot take few values, so that many windows collide.
    while (in.size() < count) in.insert((random() % 8 << 61U | random() % 4096) + 1);
    const std::vector<std::uint64_t> windows(in.begin(), in.end());
    const LeftOut left_out(windows);
    for (const std::uint64_t window : windows) EXPECT_TRUE(left_out.contains(window));
    for (int i = 0; i < 10000; ++i) {
      const std::uint64_t window = random() % 8 << 61U | random() % 8192;
      EXPECT_EQ(left_out.contains(window), in.contains(window)) << window;
    }
  }
}

TEST(LeftOut, LeavesTheOtherWindowsInOrder) {
  std::mt19937_64 random(2);
  const FeaturePlan plan({.window = 5});
  FeatureStream stream(plan);
  for (int round = 0; round < 50; ++round) {
    const std::string text = join(random_words(random, random() % 20000));  // of several blocks
    const std::vector<std::uint64_t> all = all_windows(text, stream);
    std::vector<std::uint64_t> out;
    for (const std::uint64_t window : all)
      if (random() % 3 == 0) out.push_back(window);
    const std::set<std::uint64_t> is_out(out.begin(), out.end());
    std::vector<std::uint64_t> left;
    std::copy_if(all.begin(), all.end(), std::back_inserter(left),
                 [&](std::uint64_t window) { return !is_out.contains(window); });
    const LeftOut some(out);
    EXPECT_EQ(compared(text, &some, stream), left.empty() ? all : left);
  }
}

TEST(LeftOut, LeavesOneWindowAndOfNoneTheWhole) {
  std::mt19937_64 random(3);
  const FeaturePlan plan({.window = 5});
  FeatureStream stream(plan);
  for (const std::size_t words : {5U, 6U, 100U, 9000U}) {
    const std::string text = join(random_words(random, words));
    std::vector<std::uint64_t> all = all_windows(text, stream);
    const LeftOut whole(all);
    EXPECT_EQ(compared(text, &whole, stream), all);
    const std::uint64_t last = all.back();
    all.pop_back();
    const LeftOut but_one(all);
    EXPECT_EQ(compared(text, &but_one, stream), std::vector<std::uint64_t>{last});
  }
}

TEST(LeftOut, LeavesAllWhereNothingIsLeftOut) {
  const FeaturePlan plan({.window = 2});
  FeatureStream stream(plan);
  const std::string text = "one two three four";
  EXPECT_EQ(compared(text, nullptr, stream).size(), 3U);
  const LeftOut nothing({});
  EXPECT_EQ(compared(text, &nothing, stream).size(), 3U);
  EXPECT_TRUE(compared("", &nothing, stream).empty());
}

}  // namespace
}  // namespace refrain::text
