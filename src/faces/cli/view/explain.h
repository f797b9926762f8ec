// Formats the results of `refrain explain` for people.
#pragma once

#include <string>

#include "faces/cli/view/terminal.h"
#include "refrain/explain.h"

namespace refrain::cli {

// Returns the figures of both documents, their difference, the verdict at `distance`, and both texts with the shared
// parts marked. A document of fewer than `window` tokens is too short to judge.
std::string explain_text(const ExplainReport& report, unsigned distance, unsigned window, const Look& look);

// Returns the decision about a document and its reason, its cluster, and both texts as above.
std::string story_text(const StoryReport& story, const Look& look);

}  // namespace refrain::cli
