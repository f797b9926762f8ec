// The first step of a query: its blots are looked up, every place that holds one is a hit, and hits on one diagonal
// form a chain.
//
// Places are added as they are decoded, so a blot with very many places takes no memory except for its hits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/budget.h"
#include "engines/blot/chains.h"
#include "refrain/context.h"
#include "verbs/index/query/text.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

blot::DocumentBlocks blocks_of_document(Snapshot& snapshot, DocId document);
// The blocks of the document that contains the block.
blot::DocumentBlocks blocks_at(Snapshot& snapshot, std::uint64_t block);

// Places that are not wanted make no hits, but count where it matters how common a blot is.
struct HitRules {
  std::optional<blot::DocumentBlocks> own;                           // a document that is not part of the answer
  std::optional<std::span<const blot::DocumentBlocks>> wanted = {};  // ascending, disjoint; nullopt: all
  std::uint64_t max_documents = 0;                                   // blots in more are skipped; 0: no limit
  // Skips blots in very many places that a document before `own` holds too. Needs `own`.
  bool first = false;
};

// Looks up the windows of the query, and its pairs if it has any, and links the hits to chains. With pairs, a chain
// must contain a window or weigh more than one pair can: a single rare pair is chance. Throws Error(over_budget) if
// the hits do not fit into memory. Returns how rare the words of the query are.
Rarity find_chains(Snapshot& snapshot, const QueryText& query, const HitRules& rules, const Context& context,
                   MemoryBudget& budget, blot::Chainer& chainer);

}  // namespace refrain::verbs::index
