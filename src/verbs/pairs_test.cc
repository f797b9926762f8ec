#include "refrain/pairs.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <set>

#include "refrain/error.h"
#include "refrain/fingerprint.h"
#include "verbs/test_kernels.h"

namespace refrain {
namespace {

// Makes clusters of close fingerprints, many of them equal.
std::vector<std::uint64_t> close_fingerprints(unsigned seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> centers;
  for (std::size_t i = 0; i < count / 20 + 1; ++i) centers.push_back(random());
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t hash = centers[random() % centers.size()];
    for (std::size_t flips = random() % 5; flips > 0; --flips) hash ^= std::uint64_t{1} << random() % 64;
    all.push_back(hash);
  }
  return all;
}

std::vector<HammingPair> plain_pairs(std::span<const std::uint64_t> hashes, const HammingOptions& options) {
  const auto counts = [&](std::size_t i) { return options.valid.empty() || options.valid[i] != 0; };
  const auto is_first = [&](std::size_t i) {
    for (std::size_t j = 0; j < i; ++j)
      if (counts(j) && hashes[j] == hashes[i]) return false;
    return true;
  };
  std::vector<HammingPair> pairs;
  for (std::size_t i = 0; i < hashes.size(); ++i)
    for (std::size_t j = i + 1; j < hashes.size(); ++j) {
      const auto difference = static_cast<unsigned>(std::popcount(hashes[i] ^ hashes[j]));
      if (difference > options.distance || !counts(i) || !counts(j)) continue;
      if (options.all_pairs || (is_first(i) && (difference == 0 || is_first(j)))) pairs.push_back({i, j, difference});
    }
  return pairs;
}

TEST(HammingPairs, AreThoseOfBruteForce) {
  const std::vector<std::uint64_t> hashes = close_fingerprints(1, 1500);
  std::vector<std::uint8_t> valid(hashes.size(), 1);
  for (std::size_t i = 0; i < valid.size(); i += 7) valid[i] = 0;
  for (const unsigned distance : {0U, 1U, 3U, 8U})
    for (const bool all_pairs : {false, true})
      for (const bool all_valid : {false, true}) {
        HammingOptions options{.distance = distance, .all_pairs = all_pairs};
        if (!all_valid) options.valid = valid;
        const std::vector<HammingPair> expected = plain_pairs(hashes, options);
        for (const unsigned threads : kThreads) {
          EXPECT_EQ(hamming_pairs(hashes, options, on(threads)), expected);
          std::vector<HammingPair> portions;
          hamming_pairs(hashes, options, on(threads), [&](std::span<const HammingPair> some) {
            portions.insert(portions.end(), some.begin(), some.end());
          });
          std::ranges::sort(portions);
          EXPECT_EQ(portions, expected);
        }
      }
}

TEST(HammingPairs, AMillionCopiesCostAMillion) {
  const std::vector<std::uint64_t> hashes(1000000, 42);
  std::size_t count = 0;
  hamming_pairs(hashes, {}, on(2), [&](std::span<const HammingPair> some) { count += some.size(); });
  EXPECT_EQ(count, 999999U);
}

TEST(HammingPairs, OfMoreThanTheMemoryHoldsAreRefused) {
  const std::vector<std::uint64_t> hashes(4000, 42);
  try {
    hamming_pairs(hashes, {.all_pairs = true}, {.memory_bytes = kMinMemoryBytes, .threads = 1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget);
  }
}

TEST(HammingPairs, OfNothingAreNone) {
  EXPECT_TRUE(hamming_pairs({}, {}, {}).empty());
  EXPECT_TRUE(hamming_pairs(std::vector<std::uint64_t>{7}, {}, {}).empty());
  EXPECT_THROW(hamming_pairs({}, {.distance = 64}, {}), Error);
  const std::vector<std::uint8_t> valid(3);
  EXPECT_THROW(hamming_pairs(std::vector<std::uint64_t>{7}, {.valid = valid}, {}), Error);
}

TEST(HammingPairs, WhatThrowsInTheCallbackReachesTheCaller) {
  const std::vector<std::uint64_t> hashes = close_fingerprints(2, 500);
  EXPECT_THROW(hamming_pairs(hashes, {}, on(3), [](auto) { throw std::runtime_error("enough"); }), std::runtime_error);
}

std::vector<std::uint64_t> plain_components(std::uint64_t nodes, const std::vector<IndexPair>& edges) {
  std::vector<std::vector<std::uint64_t>> next(nodes);
  for (const IndexPair& edge : edges) {
    next[edge.first].push_back(edge.second);
    next[edge.second].push_back(edge.first);
  }
  std::vector<std::uint64_t> least(nodes, nodes);
  for (std::uint64_t start = 0; start < nodes; ++start) {
    if (least[start] != nodes) continue;
    least[start] = start;
    for (std::deque<std::uint64_t> open = {start}; !open.empty(); open.pop_front())
      for (const std::uint64_t node : next[open.front()])
        if (least[node] == nodes) {
          least[node] = start;
          open.push_back(node);
        }
  }
  return least;
}

TEST(Components, AreThoseOfASearchFromEachNode) {
  std::mt19937_64 random(3);
  for (const std::uint64_t nodes : {1U, 2U, 10U, 1000U})
    for (const std::size_t count : {0U, 1U, 5U, 400U, 1200U}) {
      std::vector<IndexPair> edges;
      for (std::size_t i = 0; i < count; ++i) edges.push_back({random() % nodes, random() % nodes});
      const std::vector<std::uint64_t> expected = plain_components(nodes, edges);
      for (const unsigned threads : kThreads) EXPECT_EQ(components(nodes, edges, on(threads)), expected);
      std::ranges::shuffle(edges, random);
      EXPECT_EQ(components(nodes, edges, {}), expected);
    }
}

TEST(Components, RefuseWhatIsNotThere) {
  EXPECT_TRUE(components(0, {}, {}).empty());
  EXPECT_THROW(components(3, std::vector<IndexPair>{{0, 3}}, {}), Error);
  EXPECT_THROW(components(~std::uint64_t{0}, {}, {}), Error);
}

}  // namespace
}  // namespace refrain
