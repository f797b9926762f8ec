// The cost of one stage of a run.
#pragma once

#include <cstdint>
#include <string>

namespace [[gnu::visibility("default")]] refrain {

struct StageCost {
  std::string stage;
  double seconds = 0;
  std::uint64_t bytes = 0;         // read or written by the stage
  std::uint64_t memory_bytes = 0;  // peak; 0 if not measured
};

}  // namespace refrain
