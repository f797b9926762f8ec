// How far a run of several stages has come as a whole, and how long it will still take.
//
// What each stage costs of the whole is a guess, made beforehand; the time that has gone by puts it right: what is left
// is taken to go at the pace of what was done.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/context.h"

namespace refrain::verbs::run {

struct RunStage {
  std::string name;
  double weight = 1;         // against the others
  std::string section = {};  // the stage of the progress reports that tell how far it is; empty: its name
  double part = 1;           // of its time that is in that section
};

// Not thread-safe. `seconds` are since the run began.
class RunProgress {
 public:
  explicit RunProgress(std::vector<RunStage> stages);

  // The next of them begins: in their order, each once.
  void begin(std::string_view stage);
  // It ended in an earlier run: it takes no time in this one.
  void pass(std::string_view stage);

  // Where the run is after a report of the stage that has begun. Never goes back.
  ProgressUpdate::Run update(const ProgressUpdate& report, double seconds);

 private:
  std::size_t place(std::string_view stage) const;
  double before(std::size_t stage) const;  // the share of those before it

  std::vector<RunStage> stages_;
  double whole_ = 0;  // the sum of the weights
  std::size_t current_ = 0;
  double share_ = 0;
  double passed_ = 0;  // the share of those that ended earlier
};

}  // namespace refrain::verbs::run
