// What documents share that was edited beyond a few words in a row: as in a query for heavy edits, each document is compared
// with those after it (query/runs.h).
//
// What a document before both holds, too, is a place of that document's passage, and is not looked up again: however many
// documents share something, they are compared with the first of them alone.
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
