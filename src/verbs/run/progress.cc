#include "verbs/run/progress.h"

#include <algorithm>
#include <utility>

namespace refrain::verbs::run {

namespace {
constexpr double kLeastShare = 0.01;  // the share of the run that must be done before its pace means anything
}

RunProgress::RunProgress(std::vector<RunStage> stages) : stages_(std::move(stages)) {
  for (const RunStage& stage : stages_) whole_ += stage.weight;
}

std::size_t RunProgress::place(std::string_view stage) const {
  const auto found = std::find_if(stages_.begin(), stages_.end(), [&](const RunStage& s) { return s.name == stage; });
  return static_cast<std::size_t>(found - stages_.begin());
}

double RunProgress::before(std::size_t stage) const {
  double weights = 0;
  for (std::size_t i = 0; i < stage; ++i) weights += stages_[i].weight;
  return weights / whole_;
}

void RunProgress::begin(std::string_view stage) {
  current_ = std::min(place(stage), stages_.size() - 1);
  share_ = std::max(share_, before(current_));
}

void RunProgress::skip(std::string_view stage) {
  begin(stage);
  passed_ += stages_[current_].weight / whole_;
  share_ = std::max(share_, before(current_ + 1));
}

ProgressUpdate::Run RunProgress::update(const ProgressUpdate& report, double seconds) {
  const RunStage& stage = stages_[current_];
  if (report.total != 0 && report.stage == (stage.section.empty() ? stage.name : stage.section)) {
    const double done = std::min(1.0, static_cast<double>(report.done) / static_cast<double>(report.total));
    share_ = std::max(share_, before(current_) + done * stage.part * stage.weight / whole_);
  }
  ProgressUpdate::Run run{.stage = stage.name,
                          .number = static_cast<unsigned>(current_ + 1),
                          .stages = static_cast<unsigned>(stages_.size()),
                          .share = std::min(1.0, share_)};
  if (const double done = share_ - passed_; done >= kLeastShare) run.seconds_left = seconds * (1 - run.share) / done;
  return run;
}

}  // namespace refrain::verbs::run
