// Warnings that the user should read after a run, one line each.
#pragma once

#include <string>
#include <vector>

#include "refrain/dedup.h"

namespace refrain::cli {

// Warns of sources that lost a large share of their documents, records that could not be read, documents without the
// field of --keep or --source-field, --keep sources without documents, and repeated ids.
std::vector<std::string> dedup_warnings(const DedupReport& report);

}  // namespace refrain::cli
