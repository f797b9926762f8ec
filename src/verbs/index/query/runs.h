// The runs of tokens that a query document shares with each document of the index. An answer (record.h) reports them by
// rank, an extraction by place.
//
// The chosen windows of the document, and for heavy edits its rare pairs, are looked up. Hits form chains
// (engines/blot/chains.h) without any document being read. The text around a chain is read and compared (compare.h)
// when the chain is asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "engines/blot/chains.h"
#include "refrain/context.h"
#include "refrain/error.h"
#include "refrain/index.h"
#include "verbs/index/query/compare.h"
#include "verbs/index/query/comparisons.h"
#include "verbs/index/query/hits.h"
#include "verbs/index/query/query_workers.h"
#include "verbs/index/query/text.h"
#include "verbs/index/read/given_texts.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// Not thread-safe. Keeps references to its arguments.
class DocumentRuns {
 public:
  DocumentRuns(Snapshot& snapshot, std::string_view text, const PassageLimits& limits, const ExcludedTexts& excluded,
               MemoryBudget& budget);

  // Makes the chains. Must be called once, before anything but query(). Throws Error(over_budget) if the hits do not
  // fit into memory.
  void find(const HitRules& rules, const Context& context);

  const QueryText& query() const { return query_; }
  const Rarity& rarity() const { return *rarity_; }
  std::span<blot::Chain> chains() { return chainer_.chains(); }
  DocId document(std::uint32_t chain) { return chainer_.chains()[chain].document; }

  // Compares these chains now, with all workers, so that reported() need not.
  void compare_ahead(std::span<const std::uint32_t> chains, QueryWorkers& query_workers) {
    comparisons_->compare_ahead(chains, query_workers);
  }
  // The runs of a chain that are to be reported: not excluded, and not covered by another run of the same document.
  // Unless only exact passages are searched for, a part of a longer run is not reported again where the document
  // repeats it.
  // If several chains lead to the same run, the best one reports it. Chains that are left out report nothing.
  std::vector<SharedRun> reported(std::uint32_t chain, const std::function<bool(std::uint32_t chain)>& is_left_out);
  // The number of chains compared so far.
  std::uint64_t compared() const { return comparisons_->compared(); }

  // A document of which something could not be read.
  struct Changed {
    DocId document = 0;
    std::string reason;
  };
  // Ordered by document.
  const std::vector<Changed>& changed() const { return changed_; }
  void note_changed(DocId document, const Error& error);

 private:
  void note_furthest();
  void note_longest();
  const std::vector<SharedRun>& compare(std::uint32_t chain);
  bool is_excluded(const SharedRun& run) const;
  bool ranks_before(std::uint32_t a, std::uint32_t b);
  bool covered_by_another(std::uint32_t chain, const SharedRun& run,
                          const std::function<bool(std::uint32_t chain)>& is_left_out);

  Snapshot& snapshot_;
  const PassageLimits& limits_;
  const ExcludedTexts& excluded_;
  MemoryBudget& budget_;
  QueryText query_;
  blot::Chainer chainer_;
  // By chain: the last block of it and of those before it in its document. Chains are ordered by first block.
  Array<std::uint64_t> furthest_;
  // The chains, by document as they are ordered. The longest ones of a document come first.
  Array<std::uint32_t> longest_;
  std::optional<Rarity> rarity_;
  std::optional<Comparisons> comparisons_;
  std::vector<Changed> changed_;
};

}  // namespace refrain::verbs::index
