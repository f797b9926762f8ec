// The answers of `refrain explain`, for people.
#pragma once

#include <string>

#include "faces/cli/view/terminal.h"
#include "refrain/explain.h"
#include "refrain/story.h"

namespace refrain::cli {

// Both documents in figures, what differs, the verdict at `distance`, then both texts with what they share marked.
// `window` is the number of tokens below which a document is too short to judge.
std::string explain_text(const ExplainReport& report, unsigned distance, unsigned window, const Look& look);

// What became of a document and why, its cluster, then both texts as above.
std::string story_text(const StoryReport& story, const Look& look);

}  // namespace refrain::cli
