// What a stage of a run cost.
#pragma once

#include <cstdint>
#include <string>

namespace refrain {

struct StageCost {
  std::string stage;
  double seconds = 0;
  std::uint64_t bytes = 0;  // read or written by the stage
};

}  // namespace refrain
