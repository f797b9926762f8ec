// With verify, candidates are confirmed by the true similarity of their texts, which fingerprints only estimate.
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

// Works on all threads of the context. Only one call at a time is allowed.
class Confirmer {
 public:
  // Keeps references to `texts` and `context`. Takes half of the available memory for the windows of documents.
  Confirmer(const run::TextStore& texts, const NearOptions& options, const Context& context, MemoryBudget& budget);

  // Computes the Jaccard similarity of the windows of each pair, or 0 if it is less than the threshold. It is
  // fastest if pairs of the same document are consecutive.
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
