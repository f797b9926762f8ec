// The batch kernels for pairs: those of a list of fingerprints that are within a distance, and the components that
// pairs connect.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>

#include "base/array.h"
#include "base/budget.h"
#include "base/threads.h"
#include "engines/matching/hamming.h"
#include "engines/matching/union_find.h"
#include "refrain/error.h"
#include "refrain/pairs.h"

namespace refrain {

namespace {

constexpr std::size_t kPortion = 4096;  // pairs that a worker hands over at a time

struct Entry {
  std::uint64_t hash;
  std::uint64_t index;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};

using Found = std::function<void(std::span<const HammingPair>)>;

// The engine joins distinct fingerprints; this maps them back to their indices in the list.
class Pairs {
 public:
  Pairs(std::span<const std::uint64_t> fingerprints, const HammingOptions& options, const Context& context,
        MemoryBudget& budget, const Found& found)
      : options_(options),
        context_(context),
        budget_(budget),
        found_(found),
        entries_(budget, "the fingerprints"),
        hashes_(budget, "the fingerprints"),
        begins_(budget, "the fingerprints"),
        pending_(thread_count(context)) {
    entries_.reserve_more(fingerprints.size());
    for (std::size_t i = 0; i < fingerprints.size(); ++i)
      if (options.valid.empty() || options.valid[i] != 0) entries_.push_back({fingerprints[i], i});
    std::sort(entries_.begin(), entries_.end());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (i != 0 && entries_[i].hash == entries_[i - 1].hash) continue;
      hashes_.push_back(entries_[i].hash);
      begins_.push_back(i);
    }
    begins_.push_back(entries_.size());
  }

  void run() {
    for (std::size_t node = 0; node < hashes_.size(); ++node) {
      const std::span<const Entry> same = members(node);
      for (std::size_t i = 0; i < (options_.all_pairs ? same.size() : 1); ++i)
        for (std::size_t j = i + 1; j < same.size(); ++j) emit(0, same[i], same[j]);
    }
    matching::hamming_join({hashes_.data(), hashes_.size()}, {.distance = options_.distance}, context_, budget_,
                           [&](unsigned worker, std::uint64_t a, std::uint64_t b) {
                             const std::span<const Entry> first = members(find(a));
                             const std::span<const Entry> second = members(find(b));
                             if (!options_.all_pairs) return emit(worker, first.front(), second.front());
                             for (const Entry& one : first)
                               for (const Entry& other : second) emit(worker, one, other);
                           });
    for (std::vector<HammingPair>& pairs : pending_) flush(pairs);
  }

 private:
  std::size_t find(std::uint64_t hash) const {
    return static_cast<std::size_t>(std::lower_bound(hashes_.begin(), hashes_.end(), hash) - hashes_.begin());
  }
  std::span<const Entry> members(std::size_t node) const {
    const std::uint64_t begin = begins_[node];
    return {entries_.data() + begin, static_cast<std::size_t>(begins_[node + 1] - begin)};
  }

  void emit(unsigned worker, const Entry& a, const Entry& b) {
    std::vector<HammingPair>& pairs = pending_[worker];
    pairs.push_back({std::min(a.index, b.index), std::max(a.index, b.index),
                     static_cast<unsigned>(std::popcount(a.hash ^ b.hash))});
    if (pairs.size() == kPortion) flush(pairs);
  }
  void flush(std::vector<HammingPair>& pairs) {
    throw_if_stopped(context_);
    const std::lock_guard lock(mutex_);
    if (!pairs.empty()) found_(pairs);
    pairs.clear();
  }

  const HammingOptions& options_;
  const Context& context_;
  MemoryBudget& budget_;
  const Found& found_;
  Array<Entry> entries_;         // sorted by fingerprint, then by index
  Array<std::uint64_t> hashes_;  // distinct, ascending
  Array<std::uint64_t> begins_;  // where each of those begins in entries_
  std::vector<std::vector<HammingPair>> pending_;
  std::mutex mutex_;
};

void find_pairs(std::span<const std::uint64_t> fingerprints, const HammingOptions& options, const Context& context,
                MemoryBudget& budget, const Found& found) {
  if (!options.valid.empty() && options.valid.size() != fingerprints.size())
    throw Error(Errc::invalid_argument, fmt::format("hamming_pairs: {} fingerprints, but `valid` speaks of {}",
                                                    fingerprints.size(), options.valid.size()));
  Pairs(fingerprints, options, context, budget, found).run();
}

}  // namespace

void hamming_pairs(std::span<const std::uint64_t> fingerprints, const HammingOptions& options, const Context& context,
                   const std::function<void(std::span<const HammingPair>)>& found) {
  MemoryBudget budget(context);
  find_pairs(fingerprints, options, context, budget, found);
}

std::vector<HammingPair> hamming_pairs(std::span<const std::uint64_t> fingerprints, const HammingOptions& options,
                                       const Context& context) {
  MemoryBudget budget(context);
  Reservation reservation = budget.reserve(0, "the pairs");
  std::vector<HammingPair> all;
  find_pairs(fingerprints, options, context, budget, [&](std::span<const HammingPair> pairs) {
    if (all.size() + pairs.size() > all.capacity()) {
      // While the vector grows, the old and the new buffer both exist.
      const std::size_t wanted = std::max(2 * all.capacity(), all.size() + pairs.size());
      reservation.resize((all.capacity() + wanted) * sizeof(HammingPair), "the pairs");
      all.reserve(wanted);
      reservation.resize(wanted * sizeof(HammingPair), "the pairs");
    }
    all.insert(all.end(), pairs.begin(), pairs.end());
  });
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::uint64_t> components(std::uint64_t nodes, std::span<const IndexPair> edges, const Context& context) {
  MemoryBudget budget(context);
  if (nodes > budget.ceiling() / sizeof(std::uint64_t))
    throw Error(Errc::over_budget, fmt::format("components: {} nodes do not fit into {}; give more memory", nodes,
                                               human_bytes(budget.ceiling())));
  const Reservation result = budget.reserve(nodes * sizeof(std::uint64_t), "the clusters");
  matching::UnionFind clusters(budget, nodes);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i % (1U << 20U) == 0) throw_if_stopped(context);
    const auto [first, second] = edges[i];
    if (first >= nodes || second >= nodes)
      throw Error(Errc::invalid_argument,
                  fmt::format("components: there is no edge ({}, {}) in a graph of {} nodes", first, second, nodes));
    clusters.unite(first, second);
  }
  std::vector<std::uint64_t> least(nodes);
  for (std::uint64_t i = 0; i < nodes; ++i) least[i] = clusters.find(i);
  return least;
}

}  // namespace refrain
