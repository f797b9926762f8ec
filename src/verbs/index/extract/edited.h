// Finds passages that were edited beyond a few words in a row: as in a query with heavy edits, each document is
// compared with those after it (query/runs.h).
//
// A passage that very many documents hold is searched for by the first of them only, so the work stays linear.
// Matches that the passages of an earlier document already cover are dropped later (already_reported.h).
#pragma once

#include "base/budget.h"
#include "refrain/context.h"
#include "refrain/index.h"
#include "verbs/index/extract/plan.h"
#include "verbs/index/read/excluded_texts.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// Adds the matches it finds to `matches`. Documents that changed after they were first read are noted in the report.
void find_edited(Snapshot& snapshot, const PassageLimits& limits, const ExcludedTexts& excluded, MemoryBudget& budget,
                 const Context& context, TokenTable& table, MatchShuffle& matches, ExtractReport& report);

}  // namespace refrain::verbs::index
