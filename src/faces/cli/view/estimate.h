// Describes what a run will need, before it starts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "refrain/dedup.h"

namespace refrain::cli {

// Returns one line, and a warning if disk space may not suffice. `folder` is where the run writes.
std::vector<std::string> estimate_remarks(const DedupEstimate& estimate, std::string_view folder);

}  // namespace refrain::cli
