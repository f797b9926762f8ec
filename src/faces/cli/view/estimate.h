// What a run will take, in words, before it begins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "refrain/dedup.h"

namespace refrain::cli {

// A line, and where the disk may not suffice a warning.
std::vector<std::string> estimate_remarks(const DedupEstimate& estimate, std::string_view folder);

}  // namespace refrain::cli
