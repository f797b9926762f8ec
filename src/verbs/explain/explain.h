// Compares two texts side by side.
#pragma once

#include "base/budget.h"
#include "refrain/explain.h"
#include "verbs/evidence/shared_text.h"

namespace refrain::verbs::explain {

// Fills in the comparison of report.a and report.b, whose ids and texts are already set.
void compare_texts(ExplainReport& report, const FingerprintOptions& options, MemoryBudget& budget,
                   const Context& context, const evidence::LeftOutOf& left_out = {});

}  // namespace refrain::verbs::explain
