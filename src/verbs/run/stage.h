// Times the stages of a run.
#pragma once

#include <vector>

#include "base/progress.h"
#include "refrain/stage_cost.h"

namespace refrain::verbs::run {

// Runs `work`, which returns the number of bytes that it processed, and appends the cost of the stage.
template <class Work>
void run_stage(std::vector<StageCost>& stages, const char* name, Work work) {
  const Stopwatch watch;
  const std::uint64_t bytes = work();
  stages.push_back({name, watch.seconds(), bytes});
}

}  // namespace refrain::verbs::run
