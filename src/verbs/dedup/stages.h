// The stages of a dedup run: one list, which the run, its progress and its report follow.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "refrain/dedup.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/progress.h"

namespace refrain::verbs::dedup {

struct Stage {
  std::string_view name;
  void (*work)(DedupRun& run);
  double weight;                  // its cost against the others: milliseconds for 10 MB of text, measured over 300 MB
  std::string_view section = {};  // the stage of the progress reports that tell how far it is; empty: its name
  double part = 1;                // of its time that is in that section
  bool (*runs)(const DedupOptions& options) = nullptr;   // null: always
  bool (*idles)(const DedupOptions& options) = nullptr;  // it has next to nothing to do, and costs `idle_weight`
  double idle_weight = 1;
};

// In the order in which they run.
std::span<const Stage> all_stages();

// Those that run under these options.
std::vector<run::RunStage> stages_of(const DedupOptions& options);

// Runs them, or passes them over where an earlier run has ended them; fills run.report and ends the run.
void run_stages(DedupRun& run, run::RunProgress& whole);

}  // namespace refrain::verbs::dedup
