// The results of comparing the chains of a query. Each chain is compared once, however often it is asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "engines/blot/chains.h"
#include "refrain/index.h"
#include "verbs/index/query/compare.h"
#include "verbs/index/query/query_workers.h"
#include "verbs/index/query/text.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// Not thread-safe. Keeps references to the chains and hits.
class Comparisons {
 public:
  Comparisons(Snapshot& snapshot, const QueryText& query, std::span<const blot::Chain> chains,
              std::span<const blot::Hit> hits, const PassageLimits& limits, MemoryBudget& budget);

  // Compares these chains now, with the workers of the crew, so that runs() need not. A neighborhood where that
  // fails is left to runs().
  void compare_ahead(std::span<const std::uint32_t> chains, QueryWorkers& query_workers);
  // The runs in order that are not part of a longer run in any order, and the runs in any order that overlap the
  // chain. The result depends on the chain alone, unless something cannot be read. Throws Error(bad_input), once, if
  // the document's file has changed; from then on the result is empty.
  const std::vector<SharedRun>& runs(std::uint32_t chain);
  // The number of chains compared so far.
  std::uint64_t compared() const { return runs_.size(); }

 private:
  using Runs = std::unordered_map<std::uint32_t, std::vector<SharedRun>>;

  // For a worker of the crew. Uses the results of `base`, which must not change meanwhile.
  Comparisons(Snapshot& snapshot, const Comparisons& base);
  void try_to_compare(std::span<const std::uint32_t> chains);
  void take_over(Comparisons& other);
  void reserve_runs();
  template <class Map>
  const typename Map::mapped_type* known(Map Comparisons::*map, typename Map::key_type key) const;
  std::vector<SharedRun> compare(std::uint32_t chain);
  const std::vector<SharedRun>& in_order(std::uint32_t chain);
  const std::vector<SharedRun>& reported_in_order(std::uint32_t chain);
  bool is_in_order(std::uint32_t neighbourhood);
  bool is_same(DocId document);
  const std::vector<SharedRun>& loose(std::uint32_t neighbourhood);
  std::pair<std::uint32_t, std::uint32_t> chains_of(std::uint32_t neighbourhood) const;
  void join_in_order(std::uint32_t neighbourhood, std::vector<SharedRun>& loose);

  Snapshot& snapshot_;
  const Comparisons* base_ = nullptr;
  const QueryText& query_;
  std::span<const blot::Chain> chains_;
  std::span<const blot::Hit> hits_;
  const PassageLimits& limits_;
  MemoryBudget& budget_;
  std::shared_ptr<const blot::Neighbourhoods> neighbourhoods_;
  ChainComparer comparer_;
  Reservation held_;
  Runs runs_;                                        // by chain
  Runs in_order_;                                    // by chain
  Runs exact_;                                       // by chain
  Runs loose_;                                       // by neighborhood
  std::unordered_map<std::uint32_t, bool> settled_;  // by neighborhood: is_in_order()
  std::unordered_map<DocId, bool> same_;             // by document: is_same()
};

}  // namespace refrain::verbs::index
