// The raw view of an index: blots and where they occur, with nothing compared; and of texts: their blots.
// file_blots() of refrain/index.h is here too.
#pragma once

#include <functional>

#include "refrain/context.h"
#include "refrain/index.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// Blots in enough documents, and not too many; by falling number of documents, then by blot.
void index_blots(Snapshot& snapshot, const BlotsOptions& options, const Context& context,
                 const std::function<void(const BlotRow&)>& row);

// The text behind options.unblot, blot by blot, place by place. Error(invalid_argument) where one is no blot of the index,
// before anything is told; Error(bad_input) where a document's file has changed, once all others were told.
void index_unblot(Snapshot& snapshot, const BlotsOptions& options, const Context& context,
                  const std::function<void(const BlotText&)>& row);

}  // namespace refrain::verbs::index
