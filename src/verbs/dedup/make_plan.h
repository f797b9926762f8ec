// Checks and settles the options of a run of dedup, once, before anything is read.
#pragma once

#include "refrain/dedup.h"
#include "verbs/dedup/state/plan.h"

namespace refrain::verbs::dedup {

// Throws Error(invalid_argument) for options that are out of range or exclude each other, and Error(unsupported) for
// a device that can't be used.
Plan make_plan(const DedupOptions& asked, const Context& context);

DedupEstimate estimate(const Plan& plan, const Context& context);

}  // namespace refrain::verbs::dedup
