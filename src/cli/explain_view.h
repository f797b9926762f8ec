// The answer of `refrain explain`, for people and for machines.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "refrain/explain.h"

namespace refrain::cli {

// Both documents in figures, what differs, the verdict at `distance`, then both texts with what they share marked.
// `window` is the number of tokens below which a document is too short to judge.
std::string explain_text(const ExplainReport& report, unsigned distance, unsigned window, const Look& look);

// Every field of the report, the distance and the verdict ("match"; null where a document is too short) as one object
// and a newline.
std::string explain_json(const ExplainReport& report, unsigned distance);

}  // namespace refrain::cli
