// dedup of documents in memory.
#pragma once

#include "refrain/memory.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// Throws Error(invalid_argument) for options that only make sense with files.
void check_memory(const DedupOptions& options);

// Lists the decision on every document, after the stages have run.
void list_decisions(DedupRun& run, DedupResult& result);

}  // namespace refrain::verbs::dedup
