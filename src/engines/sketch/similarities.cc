// The batch kernel: the Jaccard similarity of pairs of texts.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/pieces.h"
#include "engines/sketch/feature_set.h"
#include "engines/sketch/window_sets.h"
#include "refrain/error.h"
#include "refrain/pairs.h"

namespace refrain {

namespace {

constexpr std::size_t kPiecePairs = 256;  // pairs that a thread takes at a time
constexpr double kNotJudged = std::numeric_limits<double>::quiet_NaN();

// The keys of texts are their indices in `left`, and `right_key` plus their indices in `right`.
std::vector<double> compare(const TextColumn& left, const TextColumn& right, std::uint64_t right_key,
                            std::span<const IndexPair> pairs, const SimilarityOptions& options,
                            const Context& context) {
  for (const IndexPair& pair : pairs)
    if (pair.first >= left.size() || pair.second >= right.size())
      throw Error(Errc::invalid_argument, fmt::format("similarities: there is no pair ({}, {}) in columns of {} and {}",
                                                      pair.first, pair.second, left.size(), right.size()));
  const text::FeaturePlan plan(options.windows);
  MemoryBudget budget(context);
  const Reservation results = budget.reserve(pairs.size() * sizeof(double), "the similarities");
  std::vector<double> found(pairs.size(), kNotJudged);
  const unsigned threads = thread_count(context);
  const std::uint64_t share = budget.available() / 2 / threads;
  PerWorker<sketch::WindowSets> sets(context);
  parallel_for(threads, (pairs.size() + kPiecePairs - 1) / kPiecePairs, [&](unsigned worker, std::size_t piece) {
    throw_if_stopped(context);
    sketch::WindowSets& mine = sets.get(worker, plan, budget, share);
    const auto set_of = [&](const TextColumn& texts, std::size_t i, std::uint64_t key) -> const auto& {
      const sketch::WindowSets::Set* known = mine.find(key + i);
      return known != nullptr ? *known : mine.add(key + i, texts[i].size(), 0, [&] { return texts[i]; });
    };
    const std::size_t end = std::min(pairs.size(), (piece + 1) * kPiecePairs);
    for (std::size_t i = piece * kPiecePairs; i < end; ++i) {
      const auto [first, second] = pairs[i];
      if (!left.valid(first) || !right.valid(second)) continue;
      const sketch::WindowSets::Set& a = set_of(left, first, 0);
      const sketch::WindowSets::Set& b = set_of(right, second, right_key);
      if (!a.empty() && !b.empty()) found[i] = sketch::jaccard_from(options.threshold, a, b);
    }
  });
  return found;
}

}  // namespace

std::vector<double> similarities(const TextColumn& left, const TextColumn& right, std::span<const IndexPair> pairs,
                                 const SimilarityOptions& options, const Context& context) {
  return compare(left, right, left.size(), pairs, options, context);
}

std::vector<double> similarities(const TextColumn& texts, std::span<const IndexPair> pairs,
                                 const SimilarityOptions& options, const Context& context) {
  return compare(texts, texts, 0, pairs, options, context);
}

}  // namespace refrain
