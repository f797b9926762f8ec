#include "engines/sketch/loss.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>

#include "every_simd_target.h"

namespace refrain::sketch {
namespace {

using Features = std::vector<std::uint64_t>;

Features random_set(std::size_t count, std::uint64_t values, std::mt19937_64& random) {
  Features set(count);
  for (auto& feature : set) feature = random() % values;
  make_set(set);
  return set;
}

std::size_t common_plain(const Features& a, const Features& b) {
  Features both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both.size();
}

RC_GTEST_PROP(FeatureSet, IsSortedAndHasEachFeatureOnce, (Features features)) {
  features.insert(features.end(), features.begin(), features.end());
  const std::set<std::uint64_t> expected(features.begin(), features.end());
  make_set(features);
  RC_ASSERT(features == Features(expected.begin(), expected.end()));
}

TEST(FeatureSet, IsSortedAtEverySizeAndWithTheGreatestFeatures) {
  std::mt19937_64 random(1);
  for (std::size_t size = 0; size < 3000; size += 1 + size / 20) {
    Features features(size);
    for (auto& feature : features) feature = random() % 4 == 0 ? ~std::uint64_t{0} - random() % 3 : random();
    const std::set<std::uint64_t> expected(features.begin(), features.end());
    make_set(features);
    ASSERT_EQ(features, Features(expected.begin(), expected.end())) << size;
  }
}

TEST(CommonFeatures, AreThoseOfTheIntersectionWhateverTheSizes) {
  on_every_simd_target([] {
    std::mt19937_64 random(2);
    for (unsigned trial = 0; trial < 2000; ++trial) {
      const std::uint64_t values = std::uint64_t{1} << random() % 14;
      const Features a = random_set(random() % 300, values, random);
      const Features b = random_set(random() % (trial % 2 == 0 ? 300 : 8000), values, random);
      const std::size_t expected = common_plain(a, b);
      ASSERT_EQ(common_features(a, b), expected);
      ASSERT_EQ(common_features(b, a), expected);
      // If `least` can be reached, the count is exact; if not, the result is below it.
      ASSERT_EQ(common_features(a, b, expected), expected);
      for (const std::size_t more : {1, 2, 10, 1000}) {
        ASSERT_LT(common_features(a, b, expected + more), expected + more);
        ASSERT_LT(common_features(b, a, expected + more), expected + more);
      }
      ASSERT_EQ(common_features(a, b, expected / 2), expected);
      ASSERT_EQ(common_features(a, a), a.size());
    }
  });
}

TEST(CommonFeatures, AreFoundByGallopingAtEveryPlace) {
  Features many(5000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = 2 * i + 1;
  for (std::size_t i = 0; i < many.size(); ++i) {
    Features few{0, many[i], many[i] + 1, many.back()};
    make_set(few);
    ASSERT_EQ(common_features(few, many), i + 1 == many.size() ? 1U : 2U) << i;
  }
}

TEST(Jaccard, IsWhatIsSharedOfAllThatIsInEither) {
  EXPECT_EQ(jaccard({}, {}), 1);
  EXPECT_EQ(jaccard(Features{1}, {}), 0);
  EXPECT_EQ(jaccard(Features{1, 2, 3}, Features{1, 2, 3}), 1);
  EXPECT_EQ(jaccard(Features{1, 2, 3}, Features{2, 3, 4}), 0.5);
  EXPECT_EQ(jaccard(Features{1, 2, 3, 4}, Features{1, 2, 3, 4, 5}), 0.8);
}

TEST(CommonFor, IsTheLeastThatReachesTheThresholdAsJaccardWouldSay) {
  for (const double threshold : {0.0, 0.1, 0.5, 2.0 / 3, 0.7, 0.75, 0.8, 0.9, 0.95, 1.0}) {
    for (std::size_t a = 0; a < 80; ++a) {
      for (std::size_t b = a; b < 80; ++b) {
        const std::size_t common = common_for(threshold, a, b);
        Features x(a);
        Features y(b);
        for (std::size_t shared = 0; shared <= a; ++shared) {
          for (std::size_t i = 0; i < a; ++i) x[i] = i;
          for (std::size_t i = 0; i < b; ++i) y[i] = i < shared ? i : 100 + i;
          ASSERT_EQ(jaccard(x, y) >= threshold, shared >= common) << threshold << ' ' << a << ' ' << b << ' ' << shared;
        }
      }
    }
  }
  EXPECT_EQ(common_for(0.8, 9'000'000'000, 9'000'000'000), 8'000'000'000U);
}

}  // namespace
}  // namespace refrain::sketch
