// What documents share that was edited beyond a few words in a row: as in a query for heavy edits, each document is compared
// with those after it (query/runs.h).
//
// What very many documents have is only looked for by the first of them: however many there are, that is linear. What an earlier
// document's passages tell anyway is dropped later (told_before.h).
#pragma once

#include "base/budget.h"
#include "refrain/context.h"
#include "refrain/index.h"
#include "verbs/index/extract/plan.h"
#include "verbs/index/read/excluded_texts.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// Adds what it finds to `matches`. Documents that have changed since they were read first are noted.
void find_edited(Snapshot& snapshot, const PassageLimits& limits, const ExcludedTexts& excluded, MemoryBudget& budget,
                 const Context& context, TokenTable& table, MatchShuffle& matches, ExtractReport& report);

}  // namespace refrain::verbs::index
