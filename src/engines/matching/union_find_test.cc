#include "engines/matching/union_find.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace refrain::matching {
namespace {

TEST(UnionFind, NamesEveryComponentByItsLeastMemberInAnyOrderOfEdges) {
  Context context;
  MemoryBudget budget(context);
  std::mt19937_64 random(2);
  for (int round = 0; round < 50; ++round) {
    constexpr std::size_t kSize = 300;
    // The slow and obvious version: relabels everything at every edge.
    std::vector<std::uint64_t> label(kSize);
    for (std::size_t i = 0; i < kSize; ++i) label[i] = i;
    UnionFind components(budget, kSize);
    for (int edge = 0; edge < round * 8; ++edge) {
      const std::uint64_t a = random() % kSize;
      const std::uint64_t b = random() % kSize;
      components.unite(a, b);
      const auto [low, high] = std::minmax(label[a], label[b]);
      std::replace(label.begin(), label.end(), std::uint64_t{high}, std::uint64_t{low});
    }
    for (std::size_t i = 0; i < kSize; ++i) ASSERT_EQ(components.find(i), label[i]);
  }
}

TEST(UnionFind, ALongChainIsNotSlow) {
  Context context;
  MemoryBudget budget(context);
  constexpr std::uint64_t kSize = 3'000'000;
  UnionFind components(budget, kSize);
  for (std::uint64_t i = kSize - 1; i > 0; --i) components.unite(i, i - 1);
  for (std::uint64_t i = 0; i < kSize; ++i) ASSERT_EQ(components.find(i), 0U);
}

}  // namespace
}  // namespace refrain::matching
