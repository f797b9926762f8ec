// The identity by which a run is recognized when it is resumed: everything its answer depends on, inputs included,
// as text.
#pragma once

#include <string>

#include "refrain/dedup.h"
#include "verbs/dedup/near/finder.h"

namespace refrain::verbs::dedup {

// `near` may be null.
std::string identity(const DedupOptions& options, const NearFinder* near);

}  // namespace refrain::verbs::dedup
