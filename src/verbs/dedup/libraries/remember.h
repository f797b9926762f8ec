// Adds the documents that a run keeps to a library, so that later runs know them.
#pragma once

#include <memory>
#include <string>

#include "engines/library/folder.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// The stage `library`: adds the kept documents to the library that grows, or creates one in the run's folder.
void dedup_library(DedupRun& run);

// Opens and locks the library that grows, and creates it if it does not exist. `near` is the method of the run;
// null: off.
std::unique_ptr<library::LibraryWriter> open_library(const DedupOptions& options, const NearFinder* near);

// The state of the library that grows; empty if it does not exist yet.
std::string library_state(const DedupRun& run);
// Returns a new random name for this run.
std::string new_run_name();

// Throws Error(invalid_argument) if the keep policy ranks a document of the input before one that a library holds:
// what earlier runs kept is not given up.
void check_order(DedupRun& run);

}  // namespace refrain::verbs::dedup
