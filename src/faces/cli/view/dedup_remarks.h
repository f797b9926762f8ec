// Remarks on a run of dedup, one line each: what it will need, before it starts, and warnings after it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "refrain/dedup.h"

namespace refrain::cli {

// Returns one line, and a warning if disk space may not suffice. `folder` is where the run writes.
std::vector<std::string> estimate_remarks(const DedupEstimate& estimate, std::string_view folder);

// Warns of sources that lost a large share of their documents, records that could not be read, documents without the
// field of --keep or --source-field, --keep sources without documents, and repeated ids.
std::vector<std::string> dedup_warnings(const DedupReport& report);

}  // namespace refrain::cli
