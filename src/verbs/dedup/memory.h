// dedup of documents in memory.
#pragma once

#include "refrain/memory.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// Lists the decision on every document, after the stages have run.
void list_decisions(DedupRun& run, DedupResult& result);

}  // namespace refrain::verbs::dedup
