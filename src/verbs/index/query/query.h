// query: the passages of some documents that an index holds too: for each document, in order, its answer (record.h),
// whatever else is asked about.
#pragma once

#include "refrain/context.h"
#include "refrain/index.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

QueryReport query_index(Snapshot& snapshot, const QueryOptions& options, const Context& context, PassageSink& sink);

}  // namespace refrain::verbs::index
