// summary.json of near. All that depends on the machine and on the moment stands under "run"; the rest is the same for the
// same input and options.
#pragma once

#include <string>

#include "refrain/near.h"

namespace refrain {

std::string near_summary(const NearOptions& options, const NearReport& report);

}  // namespace refrain
