// How far a run of several stages has come as a whole, how long the rest will take, and what each stage cost.
//
// The share of each stage is a guess made beforehand. The elapsed time corrects it: the remaining work is assumed
// to proceed at the pace of the work done so far.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "refrain/context.h"

namespace refrain::verbs::run {

struct RunStage {
  std::string name;
  double weight = 1;         // relative to the other stages
  std::string section = {};  // the stage named in the progress reports that show how far it is; empty: `name`
  double part = 1;           // the share of its time spent in that section
};

// Not thread-safe. `seconds` count from the beginning of the run.
class RunProgress {
 public:
  explicit RunProgress(std::vector<RunStage> stages);

  // The given stage begins. Stages begin in their order, each once.
  void begin(std::string_view stage);
  // The given stage ended in an earlier run, so it takes no time in this one.
  void skip(std::string_view stage);

  // The state of the run after a progress report of the current stage. The share never decreases.
  ProgressUpdate::Run update(const ProgressUpdate& report, double seconds);

 private:
  std::size_t place(std::string_view stage) const;
  double before(std::size_t stage) const;  // the share of the stages before it

  std::vector<RunStage> stages_;
  double whole_ = 0;  // the sum of the weights
  std::size_t current_ = 0;
  double share_ = 0;
  double passed_ = 0;  // the share of the stages that an earlier run finished
};

// Runs `work`, which returns the number of bytes that it processed, and appends the cost of the stage.
template <class Work>
void run_stage(std::vector<StageCost>& stages, const char* name, Work work) {
  const Stopwatch watch;
  const std::uint64_t bytes = work();
  stages.push_back({name, watch.seconds(), bytes});
}

}  // namespace refrain::verbs::run
