// query: finds the passages that some documents share with the index. Each document, in order, gets its own answer
// (record.h), which does not depend on the other documents.
#pragma once

#include "refrain/context.h"
#include "refrain/index.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

QueryReport query_index(Snapshot& snapshot, const QueryOptions& options, const Context& context, PassageSink& sink);

}  // namespace refrain::verbs::index
