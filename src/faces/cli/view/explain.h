// Formats the results of `refrain explain` for people.
#pragma once

#include <string>

#include "faces/cli/view/terminal.h"
#include "refrain/explain.h"

namespace refrain::cli {

// Returns the figures of both documents, their difference, the verdicts of the verbs, and both texts with the shared
// parts marked.
std::string explain_text(const ExplainOptions& options, const ExplainReport& report, const Look& look);

// Returns the decision about a document and its reason, its cluster, and both texts as above.
std::string story_text(const StoryReport& story, const Look& look);

}  // namespace refrain::cli
