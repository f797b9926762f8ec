#include "engines/matching/hamming.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "refrain/error.h"

namespace refrain::matching {

namespace {

constexpr std::size_t kSample = 256;

}  // namespace

std::vector<Block> balanced_blocks(std::span<const std::uint64_t> set, unsigned count) {
  std::array<std::size_t, 64> ones{};
  const std::size_t sample = std::min(set.size(), kSample);
  for (std::size_t i = 0; i < sample; ++i) {
    const std::uint64_t hash = set[i * set.size() / sample];
    for (unsigned bit = 0; bit < 64; ++bit) ones[bit] += hash >> bit & 1U;
  }
  // The information in a bit, from 0 to 1: minus the logarithm of the probability that two fingerprints agree in it.
  std::array<double, 64> information{};
  double left = 0;
  unsigned varying = 0;
  for (unsigned bit = 0; bit < 64; ++bit) {
    const double p = static_cast<double>(ones[bit]) / static_cast<double>(std::max<std::size_t>(sample, 1));
    if (ones[bit] == 0 || ones[bit] == sample) continue;
    information[bit] = -std::log2(p * p + (1 - p) * (1 - p));
    left += information[bit];
    ++varying;
  }
  count = std::min(count, varying);
  std::vector<Block> blocks(count);
  unsigned bit = 0;
  for (unsigned b = 0; b < count; ++b) {
    // This block's share of the remaining information, to the nearest bit but at least one bit; later blocks keep
    // one each.
    const double share = left / (count - b);
    double have = 0;
    while (varying > count - b - 1) {
      while (information[bit] == 0) ++bit;
      if (have > 0 && b + 1 < count && have + information[bit] / 2 > share) break;
      blocks[b].mask |= std::uint64_t{1} << bit;
      have += information[bit++];
      --varying;
    }
    blocks[b].collisions = std::exp2(-have);
    left -= have;
  }
  return blocks;
}

BlockKey::BlockKey(std::uint64_t mask, unsigned most_bits) : mask_(mask) {
  const auto popcount = static_cast<unsigned>(std::popcount(mask));
  const auto low = static_cast<unsigned>(std::countr_zero(mask));
  const bool one_run = popcount <= most_bits && popcount + low + static_cast<unsigned>(std::countl_zero(mask)) == 64;
  // Scattered bits, or more bits than `most_bits`, are hashed; two extra bits keep most of the different values
  // apart.
  bits_ = std::max(1U, std::min(most_bits, one_run ? popcount : popcount + 2));
  multiplier_ = one_run ? std::uint64_t{1} << (64 - low - popcount) : 0x9E3779B97F4A7C15ULL;
  shift_ = 64 - bits_;
}

void check_blocks(unsigned blocks, unsigned distance) {
  if (blocks == 0) blocks = std::max(2U, distance + 1);
  if (distance > 63)
    throw Error(Errc::invalid_argument, fmt::format("`distance` {}: must be from 0 to 63 bits", distance));
  if (blocks < 2 || blocks > 64)
    throw Error(Errc::invalid_argument, fmt::format("`blocks` {}: must be from 2 to 64", blocks));
  if (blocks <= distance)
    throw Error(Errc::invalid_argument, fmt::format("`blocks` {}: must be above the distance ({}); use at least {}",
                                                    blocks, distance, distance + 1));
  std::uint64_t tables = 1;
  for (unsigned i = 1; i <= std::min(distance, blocks - distance); ++i) {
    tables = tables * (blocks - i + 1) / i;
    if (tables > kMaxTables)
      throw Error(Errc::invalid_argument,
                  fmt::format("`blocks` {} `distance` {}: needs more than {} tables; use fewer blocks (at least {})",
                              blocks, distance, kMaxTables, distance + 1));
  }
}

std::vector<std::uint64_t> sorting_blocks(std::span<const std::uint64_t> set, unsigned distance) {
  // Rough costs in nanoseconds, on an H200: for sorting a fingerprint by one byte of a block, and for comparing two.
  constexpr double kSortCost = 0.009;
  constexpr double kPairCost = 0.0009;
  constexpr double kChoiceCost = 100000;  // for each choice, however small the set is
  constexpr double kMostCost = 60e9;
  const auto size = static_cast<double>(set.size());
  std::vector<std::uint64_t> best;
  double best_cost = kMostCost;
  for (unsigned count = distance + 1; count <= std::min(64U, distance + 4); ++count) {
    const std::vector<Block> blocks = balanced_blocks(set, count);
    if (blocks.size() <= distance) break;
    // The mean share of pairs that meet, over all choices. Assumes that the choices are alike.
    double collisions = 1;
    for (const Block& block : blocks) collisions *= block.collisions;
    const auto chosen = static_cast<double>(blocks.size() - distance);
    const double met = std::pow(collisions, chosen / static_cast<double>(blocks.size()));
    double choices = 1;
    for (unsigned i = 1; i <= distance; ++i)
      choices *= static_cast<double>(blocks.size() - distance + i) / static_cast<double>(i);
    const double bytes = 2 + 64 * chosen / static_cast<double>(blocks.size()) / 8;
    const double cost = choices * (kChoiceCost + size * bytes * kSortCost + size * size / 2 * met * kPairCost);
    if (cost >= best_cost) continue;
    best_cost = cost;
    best.clear();
    for (const Block& block : blocks) best.push_back(block.mask);
  }
  return best;
}

}  // namespace refrain::matching
