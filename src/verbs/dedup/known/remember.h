// What a run keeps becomes known to later ones: it goes into a library.
#pragma once

#include <memory>
#include <string>

#include "engines/library/folder.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// The stage `library`: adds the kept documents to the library that grows, or leaves one in the run's folder.
void dedup_remember(DedupRun& run);

// The library that grows, locked: one is made where there is none. `near` is the method of the run; null: off.
std::unique_ptr<library::Writing> open_library(const DedupOptions& options, const NearFinder* near);

// The state of the library that grows; empty where there is none yet.
std::string library_state(const DedupRun& run);
// A name for this run, that no other has.
std::string new_run_name();

// Error(invalid_argument) where the keep policy ranks a document of the input before one that a library holds: what was kept
// stays.
void check_order(DedupRun& run);

}  // namespace refrain::verbs::dedup
