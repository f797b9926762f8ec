// Sums up the seconds of each stage, for stages that run several times.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/stage_cost.h"

namespace refrain::verbs::ngrams {

class StageSeconds {
 public:
  explicit StageSeconds(std::vector<StageCost>& stages) : stages_(stages) {}

  void add(std::string_view stage, double seconds) { cost_of(stage).seconds += seconds; }
  double seconds(std::string_view stage) { return cost_of(stage).seconds; }

 private:
  StageCost& cost_of(std::string_view stage) {
    const auto known =
        std::find_if(stages_.begin(), stages_.end(), [&](const StageCost& cost) { return cost.stage == stage; });
    return known != stages_.end() ? *known : stages_.emplace_back(StageCost{std::string(stage), 0, 0});
  }

  std::vector<StageCost>& stages_;
};

}  // namespace refrain::verbs::ngrams
