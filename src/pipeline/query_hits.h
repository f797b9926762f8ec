// The first step of a query: its blots are looked up, and every place that holds one is a hit.
//
// Places are added as they are decoded: but for the hits, a blot of very many places takes no memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "blot/blotter.h"
#include "blot/chains.h"
#include "pipeline/index_snapshot.h"
#include "refrain/context.h"

namespace refrain {

DocumentBlocks blocks_of_document(Snapshot& snapshot, DocId document);
// Of the document that the block lies in.
DocumentBlocks blocks_at(Snapshot& snapshot, std::uint64_t block);

struct HitRules {
  std::optional<DocumentBlocks> own;  // a document that is no answer
  std::uint64_t max_documents = 0;    // blots in more are passed over; 0: none is
};

// `windows` by blot, then by token. Error(over_budget) where the hits do not fit.
void find_hits(Snapshot& snapshot, std::span<const ChosenWindow> windows, const HitRules& rules, const Context& context,
               Chainer& chainer);

}  // namespace refrain
