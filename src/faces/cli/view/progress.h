// Progress for a person: a bar on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "faces/cli/view/terminal.h"
#include "refrain/context.h"

namespace refrain::cli {

// "read  ██████░░░░  62 %  1.2 GiB of 2.0 GiB  310 MiB/s  0:04 left", in at most `columns` columns.
// `seconds` is how long the stage has run. Without a total: what was done, and how fast. Of a run that goes by stages:
// "near  ██████░░░░  62 %  0:31 left  stage 4 of 11", the share and the time being those of the whole run.
std::string progress_bar(const ProgressUpdate& update, double seconds, const Look& look, std::size_t columns);

// "read: 62 %, 1.2 GiB of 2.0 GiB, 310 MiB/s, 0:04 left"
std::string progress_line(const ProgressUpdate& update, double seconds);

// Draws on standard error. Thread-safe.
class ProgressView {
 public:
  explicit ProgressView(const Look& look);
  ~ProgressView();
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

  void show(const ProgressUpdate& update);
  // Takes the bar away, so that something else can be written. The destructor does so too.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start_of(std::string_view stage, Clock::time_point now);

  const Look look_;
  std::mutex mutex_;
  bool drawn_ = false;
  const Clock::time_point begun_;
  // A stage first reports when it has run for a while: it is taken to have begun at the last report before that.
  Clock::time_point last_update_;
  Clock::time_point last_line_;
  std::vector<std::pair<std::string, Clock::time_point>> starts_;
};

}  // namespace refrain::cli
