// dedup of documents in memory.
#pragma once

#include "refrain/memory.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// Error(invalid_argument) for options that only make sense with files.
void check_memory(const DedupOptions& options);

// What was decided of every document, once the stages have run.
void list_decisions(DedupRun& run, DedupResult& result);

}  // namespace refrain::verbs::dedup
