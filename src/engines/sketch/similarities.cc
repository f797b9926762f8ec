// The batch kernel: the Jaccard similarity of pairs of texts.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/pieces.h"
#include "engines/sketch/feature_set.h"
#include "engines/sketch/loss.h"
#include "engines/sketch/window_sets.h"
#include "engines/sketch/written.h"
#include "refrain/error.h"
#include "refrain/pairs.h"

namespace refrain {

namespace {

constexpr std::size_t kPiecePairs = 256;  // that a thread takes at a time
constexpr double kNotJudged = std::numeric_limits<double>::quiet_NaN();

using Set = sketch::WindowSets::Set;

// result[i] is judge(sets of windows of both texts of pair i, the texts, the sets of this thread), or `not_judged`.
// Texts of `left` are known by their places, those of `right` from `right_key` on.
template <class Result, class Judge>
std::vector<Result> compare(const TextColumn& left, const TextColumn& right, std::uint64_t right_key,
                            std::span<const IndexPair> pairs, const FingerprintOptions& windows, const Context& context,
                            const Result& not_judged, const Judge& judge) {
  for (const IndexPair& pair : pairs)
    if (pair.first >= left.size() || pair.second >= right.size())
      throw Error(Errc::invalid_argument, fmt::format("similarities: there is no pair ({}, {}) in columns of {} and {}",
                                                      pair.first, pair.second, left.size(), right.size()));
  const text::FeaturePlan plan(windows);
  MemoryBudget budget(context);
  const Reservation results = budget.reserve(pairs.size() * sizeof(Result), "the similarities");
  std::vector<Result> found(pairs.size(), not_judged);
  const unsigned threads = thread_count(context);
  const std::uint64_t share = budget.available() / 2 / threads;
  PerWorker<sketch::WindowSets> sets(context);
  parallel_for(threads, (pairs.size() + kPiecePairs - 1) / kPiecePairs, [&](unsigned worker, std::size_t piece) {
    throw_if_stopped(context);
    sketch::WindowSets& mine = sets.get(worker, plan, budget, share);
    const auto set_of = [&](const TextColumn& texts, std::size_t i, std::uint64_t key) -> const auto& {
      const Set* known = mine.find(key + i);
      return known != nullptr ? *known : mine.add(key + i, texts[i].size(), 0, [&] { return texts[i]; });
    };
    const std::size_t end = std::min(pairs.size(), (piece + 1) * kPiecePairs);
    for (std::size_t i = piece * kPiecePairs; i < end; ++i) {
      const auto [first, second] = pairs[i];
      if (!left.valid(first) || !right.valid(second)) continue;
      const Set& a = set_of(left, first, 0);
      const Set& b = set_of(right, second, right_key);
      if (!a.empty() && !b.empty()) found[i] = judge(a, b, left[first], right[second], mine);
    }
  });
  return found;
}

std::vector<double> jaccard(const TextColumn& left, const TextColumn& right, std::uint64_t right_key,
                            std::span<const IndexPair> pairs, const SimilarityOptions& options,
                            const Context& context) {
  return compare(left, right, right_key, pairs, options.windows, context, kNotJudged,
                 [&](const Set& a, const Set& b, std::string_view, std::string_view, sketch::WindowSets&) {
                   return sketch::jaccard_from(options.threshold, a, b);
                 });
}

}  // namespace

std::vector<double> similarities(const TextColumn& left, const TextColumn& right, std::span<const IndexPair> pairs,
                                 const SimilarityOptions& options, const Context& context) {
  return jaccard(left, right, left.size(), pairs, options, context);
}

std::vector<double> similarities(const TextColumn& texts, std::span<const IndexPair> pairs,
                                 const SimilarityOptions& options, const Context& context) {
  return jaccard(texts, texts, 0, pairs, options, context);
}

std::vector<PairComparison> comparisons(const TextColumn& left, const TextColumn& right,
                                        std::span<const IndexPair> pairs, const SimilarityOptions& options,
                                        const Context& context) {
  return compare(
      left, right, left.size(), pairs, options.windows, context, PairComparison{.similarity = kNotJudged},
      [&](const Set& a, const Set& b, std::string_view text, std::string_view other, sketch::WindowSets& sets) {
        PairComparison found{.similarity = sketch::jaccard_from(options.threshold, a, b)};
        if (found.similarity < options.threshold) return found;
        const sketch::Loss loss = sketch::loss_beside(text, a, b, options.windows.window, sets.stream());
        found.lost = loss.tokens;
        found.longest_lost = loss.longest;
        sketch::WrittenReader reader;
        if (sketch::looks_at_symbols(0, options.windows.tokenizer))
          found.as_written = sketch::written_similarity(text, other, options.windows.window, reader);
        return found;
      });
}

}  // namespace refrain
