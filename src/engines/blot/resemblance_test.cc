#include "engines/blot/resemblance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "base/budget.h"
#include "engines/blot/finder.h"
#include "refrain/context.h"

namespace refrain::blot {
namespace {

using Tokens = std::vector<std::uint32_t>;

// By counting.
double plain_share(const Tokens& a, std::size_t begin, std::size_t end, const Tokens& b) {
  std::map<std::uint32_t, std::size_t> left;
  for (const std::uint32_t token : b) ++left[token];
  double all = 0;
  double shared = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const auto times = static_cast<std::uint64_t>(std::count(a.begin(), a.end(), a[i]));
    const double weight = log2_sixteenths(a.size()) - log2_sixteenths(times);
    all += weight;
    if (left[a[i]] == 0) continue;
    --left[a[i]];
    shared += weight;
  }
  return all == 0 ? 1 : shared / all;
}

TEST(Resemblance, IsTheShareThatCountingGives) {
  std::mt19937 source(17);
  const auto random = [&](std::size_t below) { return static_cast<std::uint32_t>(source() % below); };
  MemoryBudget budget{Context{}};
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t words = 1 + random(60);
    Tokens a(1 + random(80));
    Tokens b(random(60));
    for (std::uint32_t& token : a) token = random(words) * 0x01000193U;
    for (std::uint32_t& token : b) token = random(words) * 0x01000193U;
    Resemblance resemblance(a, budget);
    for (int part = 0; part < 3; ++part) {
      const std::size_t begin = random(a.size());
      const std::size_t end = begin + random(a.size() - begin + 1);
      EXPECT_DOUBLE_EQ(resemblance.share(begin, end, b), plain_share(a, begin, end, b)) << "round " << round;
    }
  }
}

TEST(Resemblance, IsBlindToOrderAndSeesWhatIsMissing) {
  MemoryBudget budget{Context{}};
  const Tokens a{1, 2, 3, 4, 5, 6, 7, 8};
  Resemblance resemblance(a, budget);
  EXPECT_EQ(resemblance.share(0, 8, Tokens{8, 7, 6, 5, 4, 3, 2, 1}), 1);
  EXPECT_EQ(resemblance.share(0, 8, Tokens{8, 7, 6, 5}), 0.5);
  EXPECT_EQ(resemblance.share(0, 8, Tokens{}), 0);
}

}  // namespace
}  // namespace refrain::blot
