// query: the passages of some texts that an index holds too, best first, a page at a time.
//
// Blots propose, tokens decide. The chosen windows of the query are looked up; hits become chains and chains candidates
// (engines/blot/chains.h) with nothing of any document read; then candidates are taken in the order of their rank, the pieces of
// the documents around their chains are read and compared (query_compare), and what holds is told at once.
//
// What a candidate gives does not depend on what was told before, so pages end to end are one long answer. The same place
// can be found from two chains, where noise cut one in two: the one of the better rank tells it.
#pragma once

#include "refrain/context.h"
#include "refrain/index.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

QueryReport query_index(Snapshot& snapshot, const QueryOptions& options, const Context& context, PassageSink& sink);

}  // namespace refrain::verbs::index
