// The raw contents of an index, without comparing anything: its blots and the documents that hold them; and the
// blots of texts. blots.cc also implements file_blots() of refrain/index.h.
#pragma once

#include <functional>

#include "refrain/context.h"
#include "refrain/index.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// Reports the blots that occur in at least min_documents and, unless it is 0, at most max_documents documents,
// ordered by falling number of documents, then by blot.
void index_blots(Snapshot& snapshot, const BlotsOptions& options, const Context& context,
                 const std::function<void(const BlotRow&)>& row);

// Reports the text behind each blot of options.unblot, place by place. Throws Error(invalid_argument) before the
// first row if one of them is not a blot of the index, and Error(bad_input) after the last row if the file of a
// document has changed, unless options.limit ended the rows earlier.
void index_unblot(Snapshot& snapshot, const BlotsOptions& options, const Context& context,
                  const std::function<void(const BlotText&)>& row);

}  // namespace refrain::verbs::index
