// The stages of a dedup run: one list that the run, its progress and its report follow.
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
  double weight;                  // relative cost: milliseconds for 10 MB of text, measured over 300 MB
  std::string_view section = {};  // the stage named in the progress reports that show how far it is; empty: `name`
  double part = 1;                // the share of its time spent in that section
  bool (*runs)(const DedupOptions& options) = nullptr;   // null: always
  bool (*idles)(const DedupOptions& options) = nullptr;  // whether it has almost nothing to do and costs `idle_weight`
  double idle_weight = 1;
};

// All stages, in the order in which they run.
std::span<const Stage> all_stages();

// The stages that run with these options.
std::vector<run::RunStage> stages_of(const DedupOptions& options);

// Runs the stages, skipping those that an earlier run finished; fills run.report and finishes the run.
void run_stages(DedupRun& run, run::RunProgress& whole);

}  // namespace refrain::verbs::dedup
