#include "engines/matching/hamming.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include "every_simd_target.h"
#include "refrain/error.h"

namespace refrain::matching {
namespace {

using Pair = std::pair<std::uint64_t, std::uint64_t>;

// The slow and obvious version.
std::vector<Pair> brute_force(const std::vector<std::uint64_t>& hashes, unsigned distance) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < hashes.size(); ++i)
    for (std::size_t j = i + 1; j < hashes.size(); ++j)
      if (static_cast<unsigned>(std::popcount(hashes[i] ^ hashes[j])) <= distance)
        pairs.emplace_back(std::minmax(hashes[i], hashes[j]));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<Pair> join(const std::vector<std::uint64_t>& hashes, const JoinOptions& options, unsigned threads = 2) {
  Context context;
  context.threads = threads;
  MemoryBudget budget(context);
  std::vector<std::vector<Pair>> found(threads);
  hamming_join(hashes, options, context, budget,
               [&](unsigned worker, std::uint64_t a, std::uint64_t b) { found[worker].emplace_back(a, b); });
  std::vector<Pair> all;
  for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::uint64_t> distinct(std::vector<std::uint64_t> hashes) {
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

enum class Shape { random, planted, half_shared, alternate_shared, sparse, clustered, few_bits, one_value };

std::vector<std::uint64_t> make(Shape shape, std::size_t size) {
  std::mt19937_64 random(size + static_cast<std::size_t>(shape));
  const auto flip = [&](std::uint64_t hash, std::uint64_t most) {
    for (std::uint64_t k = random() % (most + 1); k > 0; --k) hash ^= std::uint64_t{1} << random() % 64;
    return hash;
  };
  std::vector<std::uint64_t> hashes;
  std::uint64_t centre = 0;
  while (hashes.size() < size) {
    const std::uint64_t any = random();
    if (hashes.size() % 50 == 0) centre = any;
    switch (shape) {
      case Shape::random:
        hashes.push_back(any);
        break;
      case Shape::planted:
        hashes.push_back(any);
        if (random() % 4 == 0) hashes.push_back(flip(any, 5));
        break;
      case Shape::half_shared:
        hashes.push_back(any & 0xFFFFFFFFU);
        break;
      case Shape::alternate_shared:
        hashes.push_back(any | 0x5555555555555555U);
        break;
      case Shape::sparse:
        hashes.push_back(any & random() & random());
        break;
      case Shape::clustered:
        hashes.push_back(flip(centre, 8));
        break;
      case Shape::few_bits:
        hashes.push_back(any & 0x8001000000000421U);
        break;
      case Shape::one_value:
        hashes.push_back(42);
        break;
    }
  }
  return distinct(hashes);
}

class Shapes : public testing::TestWithParam<int> {};

TEST_P(Shapes, GiveExactlyThePairsOfBruteForce) {
  for (const unsigned distance : {0U, 1U, 3U, 5U, 9U, 30U}) {
    // At large distances nearly every pair is a match, so fewer hashes are enough.
    const std::vector<std::uint64_t> hashes = make(static_cast<Shape>(GetParam()), distance > 5 ? 1500 : 6000);
    const std::vector<Pair> expected = brute_force(hashes, distance);
    ASSERT_EQ(join(hashes, {.distance = distance}), expected) << distance;
    for (const unsigned blocks : {distance + 1, distance + 2, distance + 3, distance + 6})
      if (blocks >= 2 && distance <= 9) {
        ASSERT_EQ(join(hashes, {.distance = distance, .blocks = blocks}), expected) << distance << " " << blocks;
      }
  }
}

TEST_P(Shapes, GiveTheSameForAnyThreadsAndForRunsThatAreCut) {
  const std::vector<std::uint64_t> hashes = make(static_cast<Shape>(GetParam()), 12000);
  const std::vector<Pair> expected = brute_force(hashes, 3);
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    ASSERT_EQ(join(hashes, {.distance = 3, .blocks = 6}, threads), expected);
    ASSERT_EQ(join(hashes, {.distance = 3, .blocks = 4, .run_records = 1000}, threads), expected);
    ASSERT_EQ(join(hashes, {.distance = 3, .blocks = 6, .run_records = 7}, threads), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Shapes, testing::Range(0, 8));

RC_GTEST_PROP(HammingJoin, EqualsBruteForceOnAnySet, (const std::vector<std::uint64_t>& any)) {
  // Only a few bits vary, so that some pairs match.
  std::vector<std::uint64_t> hashes;
  for (const std::uint64_t hash : any) hashes.push_back(hash & 0xFFU << 28U);
  hashes = distinct(hashes);
  const unsigned distance = *rc::gen::inRange(0U, 6U);
  const unsigned blocks = *rc::gen::inRange(std::max(2U, distance + 1), 12U);
  RC_ASSERT(join(hashes, {.distance = distance, .blocks = blocks}) == brute_force(hashes, distance));
}

TEST(HammingJoin, FindsTheSixPairsOfTheExampleForEveryNumberOfBlocks) {
  const std::vector<std::uint64_t> hashes{51, 206, 238, 239, 255};
  const std::vector<Pair> expected{{206, 238}, {206, 239}, {206, 255}, {238, 239}, {238, 255}, {239, 255}};
  for (unsigned blocks = 4; blocks <= 9; ++blocks) EXPECT_EQ(join(hashes, {.distance = 3, .blocks = blocks}), expected);
}

TEST(HammingJoin, EqualsBruteForceOnEveryTarget) {
  const std::vector<std::uint64_t> hashes = make(Shape::planted, 3000);
  const std::vector<Pair> expected = brute_force(hashes, 3);
  ASSERT_GT(expected.size(), 100U);
  on_every_simd_target([&] {
    for (const unsigned blocks : {4U, 6U}) EXPECT_EQ(join(hashes, {.distance = 3, .blocks = blocks}), expected);
    const std::vector<std::uint64_t> few(hashes.begin(), hashes.begin() + 300);
    EXPECT_EQ(join(few, {.distance = 40}), brute_force(few, 40));
  });
}

TEST(HammingJoin, RefusesBlocksThatMakeNoSense) {
  EXPECT_THROW(join({1, 2}, {.distance = 3, .blocks = 3}), Error);
  EXPECT_THROW(join({1, 2}, {.distance = 1, .blocks = 65}), Error);
  EXPECT_THROW(join({1, 2}, {.distance = 64}), Error);
  EXPECT_THROW(join({1, 2}, {.distance = 20, .blocks = 64}), Error);  // far too many tables
  EXPECT_NO_THROW(join({1, 2}, {.distance = 63, .blocks = 64}));
}

TEST(Blocks, AreDisjointAndShareTheInformation) {
  const std::vector<Block> blocks = balanced_blocks(make(Shape::half_shared, 10000), 4);
  ASSERT_EQ(blocks.size(), 4U);
  std::uint64_t all = 0;
  for (const Block& block : blocks) {
    EXPECT_EQ(all & block.mask, 0U);
    EXPECT_EQ(std::popcount(block.mask), 8);
    all |= block.mask;
  }
  EXPECT_EQ(all, 0xFFFFFFFFU);
}

TEST(Blocks, ForSortingAreDisjointAndMoreThanTheDistance) {
  for (const std::size_t size : {2U, 1000U, 100000U}) {
    const std::vector<std::uint64_t> set = make(Shape::random, size);
    for (const unsigned distance : {0U, 3U, 8U}) {
      const std::vector<std::uint64_t> masks = sorting_blocks(set, distance);
      if (masks.empty()) continue;
      EXPECT_GT(masks.size(), distance);
      std::uint64_t all = 0;
      for (const std::uint64_t mask : masks) {
        EXPECT_EQ(all & mask, 0U);
        all |= mask;
      }
    }
  }
  EXPECT_EQ(sorting_blocks(make(Shape::random, 100000), 3).size(), 4U);
  // Three varying bits cannot be cut into four blocks.
  EXPECT_TRUE(sorting_blocks(std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}, 3).empty());
}

TEST(Blocks, KeysAreEqualWhereTheBitsAre) {
  std::mt19937_64 random(3);
  for (const std::uint64_t mask : {0xFFFFULL, 0xFFFF000000000000ULL, 0x8001000000000421ULL, ~0ULL, 0x10ULL}) {
    const BlockKey key(mask, 16);
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t a = random();
      const std::uint64_t b = (a & mask) | (random() & ~mask);
      ASSERT_EQ(key(a), key(b));
      ASSERT_LT(key(a), 1U << key.bits());
    }
  }
  const BlockKey exact(0xFF00, 16);
  std::set<std::uint64_t> keys;
  for (std::uint64_t v = 0; v < 256; ++v) keys.insert(exact(v << 8U));
  EXPECT_EQ(keys.size(), 256U);
}

// ---- the index

TEST(HammingIndex, FindsWhatBruteForceFindsAlsoAfterAdding) {
  for (const Shape shape : {Shape::planted, Shape::half_shared, Shape::clustered, Shape::few_bits, Shape::one_value}) {
    std::mt19937_64 random(9);
    std::vector<std::uint64_t> stored = make(shape, 3000);
    for (std::size_t i = 0; i < 200; ++i) stored.push_back(stored[random() % stored.size()]);  // duplicates
    Context context;
    MemoryBudget budget(context);
    for (const unsigned distance : {0U, 3U, 6U}) {
      HammingIndex index(stored, distance, 2, budget);
      std::vector<std::uint64_t> known = stored;
      for (std::size_t added = 0; added <= 20000; ++added) {
        if (added % 4000 == 0) {
          for (int q = 0; q < 60; ++q) {
            std::uint64_t query = known[random() % known.size()];
            for (std::uint64_t k = random() % 5; k > 0; --k) query ^= std::uint64_t{1} << random() % 64;
            std::vector<HammingIndex::Match> expected;
            for (std::size_t i = 0; i < known.size(); ++i)
              if (const auto d = static_cast<unsigned>(std::popcount(query ^ known[i])); d <= distance)
                expected.push_back({i, d});
            std::stable_sort(expected.begin(), expected.end(),
                             [](auto& a, auto& b) { return a.difference < b.difference; });
            std::vector<HammingIndex::Match> found;
            index.find(query, found);
            ASSERT_EQ(found, expected);
            const HammingIndex::Best best = index.best(query);
            ASSERT_EQ(best.count, expected.size());
            if (!expected.empty()) {
              ASSERT_EQ(best.match, expected.front());
            }
          }
        }
        known.push_back(random() & random());
        index.add(known.back());
        ASSERT_EQ(index.size(), known.size());
      }
    }
  }
}

TEST(HammingIndex, OfNothingFindsNothing) {
  Context context;
  MemoryBudget budget(context);
  HammingIndex index({}, 3, 1, budget);
  std::vector<HammingIndex::Match> found{{1, 1}};
  index.find(7, found);
  EXPECT_TRUE(found.empty());
  index.add(6);
  index.find(7, found);
  EXPECT_EQ(found, (std::vector<HammingIndex::Match>{{0, 1}}));
}

}  // namespace
}  // namespace refrain::matching
