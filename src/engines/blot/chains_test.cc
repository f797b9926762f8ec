#include "engines/blot/chains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "engines/blot/format.h"

namespace refrain::blot {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint64_t>>;  // query token, block

// Every document has `blocks` blocks.
DocumentBlocks even_documents(std::uint64_t block, std::uint64_t blocks) {
  return {block / blocks, block / blocks * blocks, (block / blocks + 1) * blocks};
}

class Chaining : public testing::Test {
 protected:
  Chainer linked(const Pairs& pairs, std::uint64_t document_blocks) {
    Chainer chainer(budget_, kRules);
    for (const auto& [query, block] : pairs) chainer.add(query, std::vector<std::uint64_t>{block});
    chainer.link([&](std::uint64_t block) { return even_documents(block, document_blocks); });
    return chainer;
  }
  // The query tokens and the blocks of a chain's hits.
  static Pairs hits_of(const Chainer& chainer, const Chain& chain) {
    Pairs pairs;
    for (std::uint32_t at = chain.first_hit; at != kNoHit; at = chainer.hits()[at].next)
      pairs.emplace_back(chainer.hits()[at].query, chainer.hits()[at].block);
    return pairs;
  }

  static constexpr ChainRules kRules = {6, 32, 58};
  MemoryBudget budget_{Context{}};
};

TEST_F(Chaining, NeighbourhoodsHoldTheChainsOfADocumentThatAreNear) {
  const auto chain = [](DocId document, std::uint64_t first, std::uint64_t last, std::uint32_t begin,
                        std::uint32_t end) {
    return Chain{.document = document, .first_block = first, .last_block = last, .begin = begin, .end = end};
  };
  const std::vector<Chain> chains = {chain(1, 10, 30, 500, 600), chain(1, 12, 13, 0, 20), chain(1, 35, 36, 90, 95),
                                     chain(1, 42, 43, 7, 9), chain(2, 44, 45, 7, 9)};
  const Neighbourhoods found = find_neighbourhoods(chains, 5, 1000, budget_);
  ASSERT_EQ(found.all.size(), 3U);
  EXPECT_EQ(std::pair(found.all[0].first_block, found.all[0].last_block),
            std::pair(std::uint64_t{10}, std::uint64_t{36}));
  EXPECT_EQ(std::pair(found.all[0].begin, found.all[0].end), std::pair(0U, 600U));
  EXPECT_EQ(found.all[2].document, 2U);
  EXPECT_EQ(std::vector<std::uint32_t>(found.of_chain.begin(), found.of_chain.end()),
            (std::vector<std::uint32_t>{0, 0, 0, 1, 2}));
  // With a limit on its length, a neighbourhood ends, and the chain that is too far from its beginning starts
  // another.
  EXPECT_EQ(find_neighbourhoods(chains, 5, 24, budget_).all.size(), 4U);
}

TEST_F(Chaining, KeepsTheChainsThatAreWanted) {
  Chainer chainer = linked({{0, 5}, {0, 105}, {0, 205}}, 100);
  ASSERT_EQ(chainer.chains().size(), 3U);
  chainer.keep_if([](const Chain& chain) { return chain.document != 1; });
  ASSERT_EQ(chainer.chains().size(), 2U);
  EXPECT_EQ(chainer.chains()[1].document, 2U);
}

TEST_F(Chaining, DependsOnTheHitsOfTheDocumentAlone) {
  std::mt19937_64 random(11);
  for (int world = 0; world < 200; ++world) {
    Pairs pairs;
    for (std::uint64_t i = 20 + random() % 200; i > 0; --i) {
      const auto query = static_cast<std::uint32_t>(random() % 300);
      const std::uint64_t block = random() % 20;
      for (const std::uint64_t document : {0U, 1U, 2U}) pairs.emplace_back(query, 20 * document + block);
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    Chainer chainer = linked(pairs, 20);
    std::vector<std::vector<Pairs>> chains(3);
    for (const Chain& chain : chainer.chains()) {
      Pairs hits = hits_of(chainer, chain);
      for (auto& [query, block] : hits) block -= 20 * chain.document;
      chains[chain.document].push_back(hits);
    }
    EXPECT_TRUE(chains[0] == chains[1] && chains[1] == chains[2]) << world;
  }
}

TEST_F(Chaining, MakesOneChainOfACopyAndNoneAcrossDocuments) {
  // Tokens 0 to 300 of the query occur in document 2, starting at its token 37, and a part of them in document 3.
  Pairs pairs;
  for (std::uint32_t query = 0; query < 300; query += 3) pairs.emplace_back(query, 200 + (query + 37) / kBlockTokens);
  for (std::uint32_t query = 120; query < 180; query += 3)
    pairs.emplace_back(query, 300 + (query - 120) / kBlockTokens);
  Chainer chainer = linked(pairs, 100);
  ASSERT_EQ(chainer.chains().size(), 2U);
  const Chain& whole = chainer.chains()[0];
  EXPECT_EQ(whole.document, 2U);
  EXPECT_EQ(whole.hits, 100U);
  EXPECT_EQ(std::pair(whole.begin, whole.end), std::pair(0U, 303U));
  EXPECT_EQ(std::pair(whole.first_block, whole.last_block), std::pair(std::uint64_t{202}, std::uint64_t{220}));
  EXPECT_EQ(chainer.chains()[1].document, 3U);
  EXPECT_EQ(chainer.chains()[1].hits, 20U);
}

TEST_F(Chaining, PartsWhatIsFarApartInTheQueryOrOffTheDiagonal) {
  // Neighbors may be 58 tokens of the query apart, but not 59. A jump of 48 tokens in the document is too much.
  EXPECT_EQ(linked({{0, 0}, {58, 3}}, 1000).chains().size(), 1U);
  EXPECT_EQ(linked({{0, 0}, {59, 3}}, 1000).chains().size(), 2U);
  EXPECT_EQ(linked({{0, 0}, {16, 3}}, 1000).chains().size(), 1U);
  EXPECT_EQ(linked({{0, 0}, {15, 3}}, 1000).chains().size(), 2U);
}

TEST_F(Chaining, FollowsADiagonalThatDrifts) {
  // The document has ten additional tokens after every thirty.
  Pairs pairs;
  for (std::uint32_t query = 0; query < 3000; query += 5)
    pairs.emplace_back(query, (query + query / 30 * 10) / kBlockTokens);
  EXPECT_EQ(linked(pairs, 1000).chains().size(), 1U);
}

TEST_F(Chaining, HoldsEveryHitOnceInOrderForAnyOrderOfAdding) {
  std::mt19937_64 random(7);
  for (const std::size_t count : {0U, 1U, 50U, 3000U, 20000U}) {
    SCOPED_TRACE(count);
    Pairs pairs;
    for (std::size_t i = 0; i < count; ++i)
      pairs.emplace_back(static_cast<std::uint32_t>(random() % 5000), random() % 100000);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    Chainer chainer = linked(pairs, 500);
    Pairs found;
    DocId document = 0;
    for (const Chain& chain : chainer.chains()) {
      EXPECT_GE(chain.document, document);
      document = chain.document;
      const Pairs hits = hits_of(chainer, chain);
      ASSERT_EQ(hits.size(), chain.hits);
      EXPECT_TRUE(std::is_sorted(hits.begin(), hits.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second, a.first) < std::pair(b.second, b.first);
      }));
      EXPECT_EQ(chain.begin, std::min_element(hits.begin(), hits.end())->first);
      EXPECT_EQ(chain.end, std::max_element(hits.begin(), hits.end())->first + kRules.span);
      EXPECT_EQ(chain.first_block, hits.front().second);
      EXPECT_EQ(chain.last_block, hits.back().second);
      for (const auto& [query, block] : hits) EXPECT_EQ(block / 500, chain.document);
      found.insert(found.end(), hits.begin(), hits.end());
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, pairs);

    std::shuffle(pairs.begin(), pairs.end(), random);
    Chainer shuffled = linked(pairs, 500);
    ASSERT_EQ(shuffled.chains().size(), chainer.chains().size());
    for (std::size_t i = 0; i < shuffled.chains().size(); ++i)
      ASSERT_EQ(hits_of(shuffled, shuffled.chains()[i]), hits_of(chainer, chainer.chains()[i]));
  }
}

// ---- Grouping

std::vector<Chain> random_chains(std::mt19937_64& random, std::size_t count, std::uint32_t tokens) {
  std::vector<Chain> chains(count);
  for (Chain& chain : chains) {
    chain.begin = static_cast<std::uint32_t>(random() % tokens);
    chain.end = chain.begin + 1 + static_cast<std::uint32_t>(random() % (random() % 4 == 0 ? tokens : 12));
    chain.hits = 1 + static_cast<std::uint32_t>(random() % 5);
  }
  return chains;
}

std::uint64_t some_worth(std::uint32_t begin, std::uint32_t end) {
  return (end - begin) / 3 + begin % 2;
}

// The slow twin: takes the chains by descending length and adds each to the first candidate that it fits.
std::vector<std::vector<std::uint32_t>> plain_groups(const std::vector<Chain>& chains) {
  std::vector<std::uint32_t> order(chains.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(~chains[a].length(), chains[a].begin) < std::tuple(~chains[b].length(), chains[b].begin);
  });
  std::vector<std::vector<std::uint32_t>> groups;
  for (const std::uint32_t i : order) {
    const auto fits = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::uint32_t>& group) {
      const Chain& first = chains[group.front()];
      return nearly_same(first.begin, first.end, chains[i].begin, chains[i].end);
    });
    if (fits == groups.end())
      groups.push_back({i});
    else
      fits->push_back(i);
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    const auto key = [&](const auto& group) {
      const Chain& first = chains[group[0]];
      return std::tuple(~some_worth(first.begin, first.end), ~first.length(), ~group.size(), first.begin);
    };
    return key(a) < key(b);
  });
  for (std::vector<std::uint32_t>& group : groups)
    std::sort(group.begin(), group.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(~chains[a].hits, a) < std::tuple(~chains[b].hits, b);
    });
  return groups;
}

TEST_F(Chaining, GroupsAsComparingAllWithAllDoes) {
  std::mt19937_64 random(11);
  for (const std::uint32_t tokens : {3U, 40U, 1000U, 100000U})
    for (const std::size_t count : {0U, 1U, 30U, 600U}) {
      SCOPED_TRACE(testing::Message() << count << " chains of " << tokens << " tokens");
      std::vector<Chain> chains = random_chains(random, count, tokens);
      const auto expected = plain_groups(chains);
      const RankedCandidates made = group_chains(chains, some_worth, budget_);
      ASSERT_EQ(made.candidates.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const Candidate& candidate = made.candidates[i];
        const std::uint32_t* members = made.members.data() + candidate.first;
        EXPECT_EQ(std::vector<std::uint32_t>(members, members + candidate.chains), expected[i]);
        for (const std::uint32_t member : expected[i]) EXPECT_EQ(chains[member].candidate, i);
        EXPECT_TRUE(i == 0 || better(made.candidates[i - 1], candidate));
      }
    }
}

TEST(NearlySame, IsFourFifthsOfTheUnion) {
  EXPECT_TRUE(nearly_same(0, 10, 0, 8));
  EXPECT_FALSE(nearly_same(0, 10, 0, 7));
  EXPECT_TRUE(nearly_same(0, 9, 1, 10));
  EXPECT_FALSE(nearly_same(0, 8, 1, 9));
  EXPECT_FALSE(nearly_same(0, 8, 8, 16));
  EXPECT_TRUE(nearly_same(5, 6, 5, 6));
}

}  // namespace
}  // namespace refrain::blot
