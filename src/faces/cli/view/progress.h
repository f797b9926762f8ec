// Shows progress to a person: as a bar on a terminal, otherwise as a line every 30 seconds.
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

// Returns "read  ██████░░░░   62%  1.2 GiB of 2.0 GiB  310 MiB/s  0:04 left", in at most `columns` columns. The stage
// has run for `seconds`. Without a total, only the amount and the rate are shown. If the run consists of stages, the
// share and the time are those of the whole run: "near  ██████░░░░   62%  0:31 left  stage 4 of 11".
std::string progress_bar(const ProgressUpdate& update, double seconds, const Look& look, std::size_t columns);

// Returns "read: 62%, 1.2 GiB of 2.0 GiB, 310 MiB/s, 0:04 left".
std::string progress_line(const ProgressUpdate& update, double seconds);

// Draws on standard error. Thread-safe.
class ProgressView {
 public:
  explicit ProgressView(const Look& look);
  ~ProgressView();
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

  void show(const ProgressUpdate& update);
  // Removes the bar, so that something else can be written. The destructor does so too.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start_of(std::string_view stage, Clock::time_point now);

  const Look look_;
  std::mutex mutex_;
  bool drawn_ = false;
  const Clock::time_point begun_;
  // The time of the last report. A stage first reports after it has run for a while, so it is assumed to have started
  // at the last report before that.
  Clock::time_point last_update_;
  Clock::time_point last_line_;
  std::vector<std::pair<std::string, Clock::time_point>> starts_;
};

}  // namespace refrain::cli
