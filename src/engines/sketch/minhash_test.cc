#include "engines/sketch/minhash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engines/sketch/loss.h"
#include "every_simd_target.h"
#include "refrain/error.h"
#include "text/windows.h"

namespace refrain::sketch {
namespace {

using Features = std::vector<std::uint64_t>;
using Signature = std::vector<std::uint32_t>;

Features random_features(std::size_t count, std::mt19937_64& random) {
  Features features(count);
  for (auto& feature : features) feature = random();
  return features;
}

Signature signature_of(const MinHash& hash, const Features& features) {
  Signature signature(hash.lanes());
  hash.start(signature.data());
  hash.add(features, signature.data());
  return signature;
}

double estimate(const Signature& a, const Signature& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

// How estimates deviate from the truth over many pairs. `expected` is the variance that independent lanes would
// have.
struct Strays {
  double sum = 0;
  double squares = 0;
  double expected = 0;
  unsigned count = 0;

  void add(double estimated, double truth, unsigned lanes) {
    sum += estimated - truth;
    squares += (estimated - truth) * (estimated - truth);
    expected += truth * (1 - truth) / lanes;
    ++count;
  }
  void check() const {
    EXPECT_LT(std::abs(sum / count), 3 * std::sqrt(expected / count / count)) << "biased";
    EXPECT_GT(squares, 0.75 * expected) << "strays less than it should";
    EXPECT_LT(squares, 1.25 * expected) << "lanes are correlated";
  }
};

// Two sets of `size` features, with about as many in common as give the similarity `similarity`.
struct Pair {
  Features a;
  Features b;
  double truth;

  Pair(std::size_t size, double similarity, std::mt19937_64& random) {
    const auto common =
        static_cast<std::size_t>(std::lround(2 * similarity * static_cast<double>(size) / (1 + similarity)));
    a = random_features(size, random);
    b = random_features(size, random);
    std::copy_n(a.begin(), common, b.begin());
    truth = static_cast<double>(common) / static_cast<double>(2 * size - common);
  }
};

// The real features of consecutive numbers, as words, which the hashes of tokens and windows must scatter.
Features features_of_numbers(text::FeatureStream& stream, unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = first; i < first + count; ++i) text += std::to_string(i) + ' ';
  stream.start(text);
  Features all;
  for (std::span<const std::uint64_t> some; stream.next(some);) all.insert(all.end(), some.begin(), some.end());
  make_set(all);
  return all;
}

TEST(MinHash, EqualsThePlainLanesOnEveryTarget) {
  on_every_simd_target([] {
    std::mt19937_64 random(1);
    for (unsigned lanes = 16; lanes <= MinHash::kMaxLanes; lanes += 16) {
      const MinHash hash(lanes, random());
      for (std::size_t size = 0; size <= 200; size += lanes < 160 ? 1 : 13) {
        const Features features = random_features(size, random);
        Signature plain(lanes);
        hash.start(plain.data());
        hash.add_plain(features, plain.data());
        ASSERT_EQ(signature_of(hash, features), plain) << lanes << ' ' << size;
      }
    }
  });
}

TEST(MinHash, WritesNoLaneThatIsNotItsOwn) {
  std::mt19937_64 random(2);
  for (const unsigned lanes : {16U, 48U, 80U, 112U}) {
    const MinHash hash(lanes, 0);
    const Features features = random_features(50, random);
    on_every_simd_target([&] {
      Signature signature(lanes + 16, 0xFFFFFFFFU);
      hash.add(features, signature.data());
      EXPECT_EQ(std::count(signature.begin() + lanes, signature.end(), 0xFFFFFFFFU), 16);
    });
  }
}

TEST(MinHash, OfTheEmptySetHasTheGreatestLanes) {
  const MinHash hash(32, 7);
  EXPECT_EQ(signature_of(hash, {}), Signature(32, 0xFFFFFFFFU));
}

TEST(MinHash, DependsOnNothingButTheSet) {
  std::mt19937_64 random(3);
  const MinHash hash(128, 0);
  Features features = random_features(100, random);
  const Signature expected = signature_of(hash, features);
  std::shuffle(features.begin(), features.end(), random);
  features.insert(features.end(), features.begin(), features.begin() + 50);
  EXPECT_EQ(signature_of(hash, features), expected);
  Signature pieces(128);
  hash.start(pieces.data());
  for (std::size_t at = 0; at < features.size(); at += 10) hash.add({features.data() + at, 10}, pieces.data());
  EXPECT_EQ(pieces, expected);
}

TEST(MinHash, FewerLanesAreTheFirstOfMore) {
  std::mt19937_64 random(4);
  const Features features = random_features(20, random);
  const Signature more = signature_of(MinHash(1024, 5), features);
  const Signature fewer = signature_of(MinHash(48, 5), features);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), more.begin()));
}

TEST(MinHash, RefusesOddNumbersOfLanes) {
  for (const unsigned lanes : {0U, 1U, 15U, 24U, 1025U, 1040U}) EXPECT_THROW(MinHash(lanes, 0), Error) << lanes;
}

// These lanes are stored; they must not change without a new kMinHashVersion.
TEST(MinHash, GivesTheStoredLanes) {
  const Features features{0x0123456789ABCDEFULL, 0xFEDCBA9876543210ULL, 0x9E3779B97F4A7C15ULL};
  EXPECT_EQ(signature_of(MinHash(16, 0), features),
            (Signature{128445985, 205986167, 2503133743, 973803360, 1952452717, 1758293471, 1037285445, 1039181647,
                       906357371, 287211956, 2530194485, 547843905, 279975356, 2521042749, 2921070574, 2276006756}));
  EXPECT_EQ(signature_of(MinHash(16, 1), features),
            (Signature{1023212152, 93442677, 2112444651, 706042966, 53231948, 202895543, 24752211, 37916411, 2908167192,
                       979244080, 4062152235, 4611975, 45943731, 507507075, 365340854, 959743440}));
}

TEST(MinHash, EstimatesWithoutBiasAndWithIndependentLanes) {
  std::mt19937_64 random(5);
  for (const std::size_t size : {5, 10, 20, 100, 500, 2000}) {
    for (const double similarity : {0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95}) {
      SCOPED_TRACE(std::to_string(size) + " features, similarity " + std::to_string(similarity));
      const MinHash hash(128, random());
      Strays strays;
      for (unsigned trial = 0; trial < 2000; ++trial) {
        const Pair pair(size, similarity, random);
        strays.add(estimate(signature_of(hash, pair.a), signature_of(hash, pair.b)), pair.truth, 128);
      }
      if (strays.expected > 0) strays.check();
    }
  }
}

TEST(MinHash, EstimatesWithoutBiasForOnePairUnderManySeeds) {
  std::mt19937_64 random(6);
  for (const std::size_t size : {20, 200}) {
    SCOPED_TRACE(size);
    Strays strays;
    for (unsigned some = 0; some < 40; ++some) {
      const Pair pair(size, 0.8, random);
      for (unsigned seed = 0; seed < 50; ++seed) {
        const MinHash hash(128, seed);
        strays.add(estimate(signature_of(hash, pair.a), signature_of(hash, pair.b)), pair.truth, 128);
      }
    }
    strays.check();
  }
}

TEST(MinHash, EstimatesWithoutBiasOnTheFeaturesOfNeighbouringWords) {
  for (const unsigned window : {1U, 5U}) {
    FingerprintOptions options;
    options.window = window;
    const text::FeaturePlan plan(options);
    text::FeatureStream stream(plan);
    const MinHash hash(128, 0);
    for (const unsigned size : {10U, 20U, 60U, 300U}) {
      SCOPED_TRACE(std::to_string(size) + " features of windows of " + std::to_string(window));
      Strays strays;
      for (unsigned trial = 0; trial < 2000; ++trial) {
        const unsigned first = trial * (size + window);
        const Features a = features_of_numbers(stream, first, size + window - 1);
        const Features b = features_of_numbers(stream, first + 1 + trial % (size / 3), size + window - 1);
        strays.add(estimate(signature_of(hash, a), signature_of(hash, b)), jaccard(a, b), 128);
      }
      strays.check();
    }
  }
}

TEST(MinHash, OfAnotherSeedIsAnotherSample) {
  std::mt19937_64 random(7);
  // The errors of two seeds for the same pair are uncorrelated.
  const MinHash first(128, 0);
  const MinHash second(128, 1);
  double products = 0;
  double squares = 0;
  std::size_t equal = 0;
  for (unsigned trial = 0; trial < 4000; ++trial) {
    const Pair pair(50, 0.7, random);
    const Signature a = signature_of(first, pair.a);
    const Signature b = signature_of(second, pair.a);
    const double x = estimate(a, signature_of(first, pair.b)) - pair.truth;
    const double y = estimate(b, signature_of(second, pair.b)) - pair.truth;
    products += x * y;
    squares += (x * x + y * y) / 2;
    for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  }
  EXPECT_LT(std::abs(products / squares), 4 / std::sqrt(4000.0));
  EXPECT_LT(equal, 5U);
}

TEST(EqualBytes, EqualsThePlainCountOnEveryTarget) {
  on_every_simd_target([] {
    std::mt19937_64 random(8);
    for (std::size_t size = 0; size <= 1024; size += 16) {
      std::vector<std::uint8_t> a(size);
      std::vector<std::uint8_t> b(size);
      for (const unsigned values : {1U, 2U, 256U}) {
        for (auto& byte : a) byte = static_cast<std::uint8_t>(random() % values);
        for (auto& byte : b) byte = static_cast<std::uint8_t>(random() % values);
        const unsigned plain = equal_bytes_plain(a.data(), b.data(), size);
        ASSERT_TRUE(values != 1 || plain == size);
        ASSERT_EQ(equal_bytes(a.data(), b.data(), size), plain) << size;
        for (const unsigned least : {0U, plain, plain + 1}) {
          std::vector<std::uint32_t> found{7};
          find_equal_bytes(a.data(), b.data(), 1, size, least, found);
          ASSERT_EQ(found.size(), least <= plain ? 2U : 1U) << size;
        }
      }
    }
  });
}

TEST(EqualBytes, SpeakForTheSimilarityOfTheSets) {
  EXPECT_EQ(similarity_of(128, 128), 1);
  EXPECT_EQ(similarity_of(0, 128), 0);
  std::mt19937_64 random(9);
  const MinHash hash(128, 0);
  for (const double similarity : {0.1, 0.5, 0.8}) {
    double sum = 0;
    double expected = 0;
    for (unsigned trial = 0; trial < 2000; ++trial) {
      const Pair pair(100, similarity, random);
      const Signature a = signature_of(hash, pair.a);
      const Signature b = signature_of(hash, pair.b);
      const std::vector<std::uint8_t> low_a(a.begin(), a.end());
      const std::vector<std::uint8_t> low_b(b.begin(), b.end());
      sum += similarity_of(equal_bytes(low_a.data(), low_b.data(), 128), 128) - pair.truth;
      expected += pair.truth * (1 - pair.truth) / 128;
    }
    EXPECT_LT(std::abs(sum), 3.5 * std::sqrt(expected)) << similarity;
  }
}

}  // namespace
}  // namespace refrain::sketch
