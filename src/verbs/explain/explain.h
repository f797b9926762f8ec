// Compares two texts side by side.
#pragma once

#include "base/budget.h"
#include "refrain/explain.h"
#include "verbs/evidence/shared_text.h"

namespace refrain::verbs::explain {

// Fills in the comparison of report.a and report.b, whose ids and texts are already set.
void compare_texts(ExplainReport& report, const FingerprintOptions& options, MemoryBudget& budget,
                   const Context& context, const evidence::LeftOutOf& left_out = {});

// Sets what dedup says about two documents.
void compare_as_dedup(ExplainReport& report, const DocumentMatchOptions& options, MemoryBudget& budget);

// Returns which options would change a decision by which a document is removed, or is kept although it is similar to
// the other.
ChangingOptions changing_options(const ExplainedRemoval& decided, double similarity, double threshold);

}  // namespace refrain::verbs::explain
