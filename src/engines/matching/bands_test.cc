#include "engines/matching/bands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>

#include "refrain/error.h"

namespace refrain::matching {
namespace {

// 1 - (1 - s^rows)^bands, computed with logarithms.
double probability_plain(unsigned bands, unsigned rows, double similarity) {
  return 1 - std::exp(bands * std::log1p(-std::pow(similarity, rows)));
}

TEST(Bands, ProbabilityIsThatOfTheFormula) {
  for (const Bands bands : {Bands{1, 1}, Bands{18, 7}, Bands{7, 18}, Bands{128, 1}, Bands{1, 128}})
    for (const double similarity : {0.0, 0.1, 0.5, 0.8, 0.99})
      EXPECT_NEAR(meeting_probability(bands, similarity), probability_plain(bands.bands, bands.rows, similarity),
                  1e-12);
  EXPECT_EQ(meeting_probability({16, 8}, 1), 1);
}

TEST(Bands, ProbabilityIsHowOftenRandomSignaturesMeet) {
  std::mt19937_64 random(1);
  const Bands bands{18, 7};
  const double similarity = 0.75;
  std::bernoulli_distribution agrees(similarity);
  unsigned met = 0;
  const unsigned trials = 20000;
  for (unsigned trial = 0; trial < trials; ++trial) {
    std::vector<std::uint32_t> a(128);
    std::vector<std::uint32_t> b(128);
    for (std::size_t i = 0; i < 128; ++i) {
      a[i] = static_cast<std::uint32_t>(random());
      b[i] = agrees(random) ? a[i] : static_cast<std::uint32_t>(random());
    }
    std::vector<std::uint32_t> x(18);
    std::vector<std::uint32_t> y(18);
    band_keys(bands, a, x.data());
    band_keys(bands, b, y.data());
    bool meet = false;
    for (std::size_t i = 0; i < 18; ++i) meet = meet || x[i] == y[i];
    met += meet ? 1 : 0;
  }
  const double expected = meeting_probability(bands, similarity);
  EXPECT_NEAR(static_cast<double>(met) / trials, expected, 4 * std::sqrt(expected * (1 - expected) / trials));
}

TEST(Bands, AreTheSteepestThatKeepThePromise) {
  for (const unsigned lanes : {16U, 64U, 128U, 256U}) {
    for (unsigned percent = 50; percent < 100; ++percent) {
      for (const double recall : {0.5, 0.8, 0.95}) {
        const double threshold = percent / 100.0;
        unsigned rows = 0;
        unsigned bands = 0;
        for (unsigned r = 1; r <= lanes; ++r)
          for (unsigned b = 1; b * r <= lanes; ++b)
            if (probability_plain(b, r, threshold) >= recall &&
                1 - probability_plain(b, r, std::min(1.0, threshold + 0.05)) <= (1 - recall) / 5 &&
                (r > rows || (r == rows && b > bands))) {
              rows = r;
              bands = b;
            }
        ASSERT_NE(rows, 0U);
        ASSERT_EQ(choose_bands(threshold, recall, lanes), (Bands{bands, rows})) << lanes << ' ' << threshold;
      }
    }
  }
}

TEST(Bands, FindNearlyAllThatIsALittleAboveTheThreshold) {
  for (unsigned percent = 50; percent <= 95; ++percent) {
    const double threshold = percent / 100.0;
    const Bands bands = choose_bands(threshold, 0.95, 128);
    EXPECT_GE(meeting_probability(bands, threshold), 0.95) << threshold;
    EXPECT_GE(meeting_probability(bands, threshold + 0.05), 0.99) << threshold;
    EXPECT_LE(bands.bands * bands.rows, 128U);
  }
  EXPECT_EQ(choose_bands(0.7, 0.95, 128), (Bands{25, 5}));
  EXPECT_EQ(choose_bands(0.8, 0.95, 128), (Bands{18, 7}));
  EXPECT_EQ(choose_bands(0.95, 0.95, 128), (Bands{7, 18}));
  EXPECT_EQ(choose_bands(1, 0.95, 128), (Bands{1, 128}));
}

std::string refusal(double threshold, double recall, unsigned lanes) {
  try {
    choose_bands(threshold, recall, lanes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    return error.what();
  }
  return "";
}

TEST(Bands, ThatCannotKeepThePromiseAreRefusedWithTheThresholdThatCan) {
  const std::string expected_message = "`threshold` 0.02: too low for 128 lanes at 95% recall; use 0.03 or more";
  EXPECT_EQ(refusal(0.02, 0.95, 128), expected_message);
  EXPECT_NO_THROW(choose_bands(0.03, 0.95, 128));
  EXPECT_NO_THROW(choose_bands(0.02, 0.95, 160));
}

TEST(Bands, RefuseWhatIsNoSimilarityAndNoRecall) {
  for (const double wrong : {-0.1, 0.0, 1.1, std::nan("")}) EXPECT_NE(refusal(wrong, 0.95, 128), "") << wrong;
  for (const double wrong : {-0.1, 0.0, 1.0, 2.0, std::nan("")}) EXPECT_NE(refusal(0.8, wrong, 128), "") << wrong;
}

// These keys are stored; they must not change without a new kMinHashVersion.
TEST(BandKeys, AreTheStoredOnes) {
  const std::vector<std::uint32_t> signature{1, 2, 3, 4, 5, 6, 7, 8, 0xFFFFFFFFU, 0, 0x80000000U, 11, 12, 13, 14, 15};
  std::vector<std::uint32_t> keys(4);
  band_keys({4, 3}, signature, keys.data());
  EXPECT_EQ(keys, (std::vector<std::uint32_t>{870224021, 3544252850, 1744241355, 1922803572}));
}

TEST(BandKeys, OfEqualLanesDifferFromBandToBand) {
  const std::vector<std::uint32_t> signature(128, 42);
  for (const Bands bands : {Bands{128, 1}, Bands{18, 7}}) {
    std::vector<std::uint32_t> keys(bands.bands);
    band_keys(bands, signature, keys.data());
    EXPECT_EQ(std::set<std::uint32_t>(keys.begin(), keys.end()).size(), bands.bands);
  }
}

TEST(BandKeys, DependOnEveryLaneOfTheirBandAndOnItsOrder) {
  std::vector<std::uint32_t> signature(20);
  for (std::uint32_t i = 0; i < 20; ++i) signature[i] = i;
  const Bands bands{3, 6};
  std::vector<std::uint32_t> before(3);
  std::vector<std::uint32_t> after(3);
  band_keys(bands, signature, before.data());
  for (std::size_t i = 0; i < 20; ++i) {
    ++signature[i];
    band_keys(bands, signature, after.data());
    --signature[i];
    for (std::size_t band = 0; band < 3; ++band) EXPECT_EQ(before[band] != after[band], band == i / 6) << i;
  }
  std::swap(signature[0], signature[1]);
  band_keys(bands, signature, after.data());
  EXPECT_NE(before[0], after[0]);
}

}  // namespace
}  // namespace refrain::matching
