// What the user should look at after a run, a line each.
#pragma once

#include <string>
#include <vector>

#include "refrain/dedup.h"

namespace refrain::cli {

// Sources that lost much, records that could not be read, what --keep and --source-field did not find.
std::vector<std::string> dedup_warnings(const DedupReport& report);

}  // namespace refrain::cli
