// With verify: candidates are confirmed by the true similarity of their texts, which fingerprints only estimate.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "engines/sketch/window_sets.h"
#include "refrain/context.h"
#include "refrain/near.h"
#include "text/windows.h"
#include "verbs/near/rows.h"
#include "verbs/run/columns/text_store.h"

namespace refrain::verbs::near {

// One call at a time; it works on all threads of the context.
class Confirmer {
 public:
  // Keeps references to `texts` and `context`. Takes half of what is available for the windows of documents.
  Confirmer(const run::TextStore& texts, const NearOptions& options, const Context& context, MemoryBudget& budget);

  // The Jaccard similarity of each pair's sets of windows; 0 where it is less than the threshold. Pairs of one document
  // are best given one after the other.
  void similarities(std::span<const Match> pairs, std::vector<double>& found);

 private:
  struct Worker {
    Worker(const text::FeaturePlan& plan, MemoryBudget& budget, std::uint64_t memory) : sets(plan, budget, memory) {}
    sketch::WindowSets sets;
    std::vector<char> scratch;
  };
  const sketch::WindowSets::Set& set_of(Worker& worker, DocId document) const;

  const run::TextStore& texts_;
  const Context& context_;
  const double threshold_;
  const text::FeaturePlan plan_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace refrain::verbs::near
