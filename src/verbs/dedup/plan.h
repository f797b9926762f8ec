// What a run of dedup will do: its options, checked and settled once, before anything is read. The stages take the plan
// as it is.
#pragma once

#include <memory>
#include <string>

#include "refrain/dedup.h"
#include "verbs/dedup/near/finder.h"

namespace refrain::verbs::dedup {

struct Plan {
  DedupOptions options;              // the texts of both sets are read in the same way
  std::unique_ptr<NearFinder> near;  // how near-duplicates are found; null if they aren't
  NearDevice device;                 // the GPU that makes the sketches, if there is one
  // Everything the answer depends on, inputs included: --resume recognizes a run by it.
  std::string identity;
};

// Throws Error(invalid_argument) for options that are out of range or exclude each other, and Error(unsupported) for
// a device that can't be used.
Plan make_plan(const DedupOptions& asked, const Context& context);

DedupEstimate estimate(const Plan& plan, const Context& context);

}  // namespace refrain::verbs::dedup
