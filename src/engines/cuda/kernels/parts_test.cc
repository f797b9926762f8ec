#include "engines/cuda/kernels/parts.h"

#include <gtest/gtest.h>

#include <random>

namespace refrain::cuda {
namespace {

TEST(JoinParts, HoldEveryBucketOnceAndNoMoreThanFits) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t most = 1 + random() % 100;
    std::vector<std::uint64_t> counts(1 + random() % 300);
    for (std::uint64_t& count : counts) count = random() % (most + 1);
    unsigned next = 0;
    for (const JoinPart& part : cut_into_parts(counts, most)) {
      ASSERT_EQ(part.first, next);
      std::uint64_t inside = 0;
      for (unsigned b = part.first; b < part.last; ++b) inside += counts[b];
      ASSERT_LE(inside, most);
      next = part.last;
    }
    ASSERT_EQ(next, counts.size());
    counts[random() % counts.size()] = most + 1;
    EXPECT_TRUE(cut_into_parts(counts, most).empty());
  }
}

TEST(JoinParts, ASetThatFitsIsOnePart) {
  EXPECT_EQ(cut_into_parts(std::vector<std::uint64_t>(kBuckets, 3), 3 * kBuckets).size(), 1U);
  EXPECT_EQ(cut_into_parts(std::vector<std::uint64_t>(kBuckets, 3), 3 * kBuckets - 1).size(), 2U);
}

TEST(JoinParts, KeysAreDealtEvenlyWhicheverBitsTheyHave) {
  for (const unsigned shift : {0U, 16U, 44U}) {
    std::vector<std::uint64_t> counts(kBuckets);
    for (std::uint64_t key = 0; key < 64 * kBuckets; ++key) ++counts[bucket_of(key << shift)];
    for (const std::uint64_t count : counts) {
      ASSERT_GT(count, 16U) << shift;
      ASSERT_LT(count, 160U) << shift;
    }
  }
}

}  // namespace
}  // namespace refrain::cuda
