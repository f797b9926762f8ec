// The plan of a dedup run: its options, once they have been checked, and what follows from them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/cuda/device.h"
#include "refrain/dedup.h"
#include "refrain/overrides.h"

namespace refrain::verbs::dedup {

class NearFinder;

// A device and the rule for what it computes.
struct NearDevice {
  std::shared_ptr<const cuda::Device> device;  // null: the CPU
  cuda::SketchRule rule;
};

struct Plan {
  DedupOptions options;                    // the texts of both sets are read in the same way
  std::shared_ptr<const NearFinder> near;  // how near-duplicates are found; null if they aren't
  NearDevice device;                       // what makes the sketches
  std::vector<Override> overrides;         // the lines that count
  // Everything the answer depends on, inputs included: `resume` recognizes a run by it.
  std::string identity;
};

}  // namespace refrain::verbs::dedup
