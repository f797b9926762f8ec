// The batch kernel: the Jaccard similarity of pairs of texts.
#include <fmt/format.h>

#include <limits>

#include "base/pieces.h"
#include "engines/sketch/comparer.h"
#include "refrain/error.h"
#include "refrain/pairs.h"

namespace refrain {

namespace {

constexpr double kNotJudged = std::numeric_limits<double>::quiet_NaN();

// The keys of texts are their indices in `left`, and `right_key` plus their indices in `right`.
class TwoColumns final : public sketch::KeyedTexts {
 public:
  TwoColumns(const TextColumn& left, const TextColumn& right, std::uint64_t right_key)
      : left_(left), right_(right), right_key_(right_key) {}
  std::uint64_t bytes(std::uint64_t key) override { return text(key).size(); }
  std::string_view get(std::uint64_t key, std::string& /*scratch*/) override { return text(key); }
  bool in_memory() const override { return true; }

 private:
  std::string_view text(std::uint64_t key) const {
    return key < left_.size() ? left_[static_cast<std::size_t>(key)]
                              : right_[static_cast<std::size_t>(key - right_key_)];
  }

  const TextColumn& left_;
  const TextColumn& right_;
  const std::uint64_t right_key_;
};

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
  const std::uint64_t share = budget.available() / 2 / thread_count(context);
  TwoColumns texts(left, right, right_key);
  PerWorker<sketch::Comparer> comparers(context);
  for_each_piece(context, pairs.size(), [&](unsigned worker, std::size_t begin, std::size_t end) {
    sketch::Comparer& comparer =
        comparers.get(worker, texts, plan, sketch::MatchRule{.threshold = options.threshold}, budget, share);
    for (std::size_t i = begin; i < end; ++i) {
      const auto [first, second] = pairs[i];
      if (left.valid(first) && right.valid(second) && comparer.has_windows(first) &&
          comparer.has_windows(right_key + second))
        found[i] = comparer.similarity(first, right_key + second);
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
