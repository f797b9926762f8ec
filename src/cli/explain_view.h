// The answer of `refrain explain`, for people.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "refrain/explain.h"

namespace refrain::cli {

// Both documents in figures, what differs, the verdict at `distance`, then both texts with what they share marked.
// `window` is the number of tokens below which a document is too short to judge.
std::string explain_text(const ExplainReport& report, unsigned distance, unsigned window, const Look& look);

}  // namespace refrain::cli
