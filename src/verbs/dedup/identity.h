// What a run is known by when it is resumed: all that its answer depends on, inputs included, as text.
#pragma once

#include <string>

#include "refrain/dedup.h"
#include "verbs/dedup/near/finder.h"

namespace refrain::verbs::dedup {

// `near` may be null.
std::string identity(const DedupOptions& options, const NearFinder* near);

}  // namespace refrain::verbs::dedup
