// What a document that is asked about shares with each document of the index, run by run: what an answer (record.h) tells
// by rank, and an extraction by place.
//
// The chosen windows of the document, and for heavy edits its rare pairs, are looked up; hits become chains
// (engines/blot/chains.h) with nothing of any document read; what lies around a chain is read and compared (compare.h) when it
// is asked for.
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
#include "verbs/index/query/crew.h"
#include "verbs/index/query/hits.h"
#include "verbs/index/query/rarity.h"
#include "verbs/index/query/text.h"
#include "verbs/index/read/excluded_texts.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// Not thread-safe. Refers to what it is given.
class DocumentRuns {
 public:
  DocumentRuns(Snapshot& snapshot, std::string_view text, const PassageLimits& limits, const ExcludedTexts& excluded,
               MemoryBudget& budget);

  // Makes the chains. Once, before anything but query() is asked. Error(over_budget) where the hits do not fit.
  void find(const HitRules& rules, const Context& context);

  const QueryText& query() const { return query_; }
  const Rarity& rarity() const { return *rarity_; }
  std::span<blot::Chain> chains() { return chainer_.chains(); }
  DocId document(std::uint32_t chain) { return chainer_.chains()[chain].document; }

  // Compares these now, with a crew, so that told() need not.
  void compare_ahead(std::span<const std::uint32_t> chains, Crew& crew) { comparisons_->compare_ahead(chains, crew); }
  // The runs of a chain that are to be told: not excluded, and not told by another run of the same document. Of chains that
  // tell the same, the best tells it; those that are left out tell nothing.
  std::vector<SharedRun> told(std::uint32_t chain, const std::function<bool(std::uint32_t chain)>& is_left_out);
  // Chains that were compared so far.
  std::uint64_t compared() const { return comparisons_->compared(); }

  // A document of which something could not be read.
  struct Changed {
    DocId document = 0;
    std::string reason;
  };
  // By document.
  const std::vector<Changed>& changed() const { return changed_; }
  void note_changed(DocId document, const Error& error);

 private:
  void note_furthest();
  const std::vector<SharedRun>& compare(std::uint32_t chain);
  bool is_excluded(const SharedRun& run) const;
  bool ranks_before(std::uint32_t a, std::uint32_t b);
  bool told_by_another(std::uint32_t chain, const SharedRun& run,
                       const std::function<bool(std::uint32_t chain)>& is_left_out);

  Snapshot& snapshot_;
  const PassageLimits& limits_;
  const ExcludedTexts& excluded_;
  MemoryBudget& budget_;
  QueryText query_;
  blot::Chainer chainer_;
  // By chain: the last block of it and of those before it in its document, which come by rising first block.
  Array<std::uint64_t> furthest_;
  std::optional<Rarity> rarity_;
  std::optional<Comparisons> comparisons_;
  std::vector<Changed> changed_;
};

}  // namespace refrain::verbs::index
