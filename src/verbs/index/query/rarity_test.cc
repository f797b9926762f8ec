#include "verbs/index/query/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "refrain/context.h"

namespace refrain::verbs::index {
namespace {

// The slow oracle: every token looks at every window.
double plain_rarity(const std::vector<std::uint32_t>& places, std::size_t span, std::size_t beside, double documents,
                    std::size_t token) {
  double most = -1;
  for (std::size_t first = 0; first < places.size(); ++first)
    if (places[first] > 0 && token + beside >= first && token < first + span + beside)
      most = std::max(most, std::max(0.0, 1 - std::log2(places[first]) / std::ceil(std::log2(documents + 1))));
  return most < 0 ? 1 : most;
}

TEST(Rarity, IsThatOfTheRarestWindowOverOrBesideAToken) {
  MemoryBudget budget(Context{.memory_bytes = std::uint64_t{64} << 20U});
  std::mt19937_64 random(4);
  for (const std::size_t tokens : {0U, 1U, 5U, 300U})
    for (const std::size_t span : {1U, 2U, 6U, 129U})
      for (const std::uint64_t documents : {1U, 2U, 1000U}) {
        std::vector<std::uint32_t> places(tokens);
        for (std::uint32_t& one : places) one = random() % 3 == 0 ? static_cast<std::uint32_t>(random() % 2000) : 0;
        const std::size_t beside = random() % 3 * 2;
        const Rarity rarity(places, span, beside, documents, budget);
        ASSERT_EQ(rarity.tokens().size(), tokens);
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < tokens; ++i) {
          EXPECT_NEAR(rarity.tokens()[i] / 256.0, plain_rarity(places, span, beside, static_cast<double>(documents), i),
                      0.08);
          EXPECT_EQ(rarity.sum(0, i), sum);
          sum += rarity.tokens()[i];
        }
        EXPECT_EQ(rarity.sum(0, tokens), sum);
      }
}

TEST(Rarity, IsWholeAtOnePlaceAndNoneAtAllOfThem) {
  MemoryBudget budget(Context{.memory_bytes = std::uint64_t{64} << 20U});
  const std::vector<std::uint32_t> places = {1, 0, 0, 32, 0, 0, 900, 0};
  const Rarity rarity(places, 2, 0, 30, budget);
  const auto tokens = rarity.tokens();
  EXPECT_EQ(std::vector<std::uint16_t>(tokens.begin(), tokens.end()),
            (std::vector<std::uint16_t>{256, 256, 256, 0, 0, 256, 0, 0}));
}

}  // namespace
}  // namespace refrain::verbs::index
