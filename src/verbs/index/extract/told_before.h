// Matches that need not be told: what both documents share there is told as places of earlier documents already. Three copies
// make three matches, of which the one between the second and the third says nothing new.
#pragma once

#include <cstdint>

#include "base/budget.h"
#include "refrain/context.h"
#include "store/shuffle.h"
#include "verbs/index/extract/plan.h"

namespace refrain::verbs::index {

// Takes the matches away, and adds those that say something new to `matches`. `options` are those of its shuffles.
void drop_told_before(MatchShuffle& found, const TokenTable& table, const store::ShuffleOptions& options,
                      std::uint64_t memory_bytes, MemoryBudget& budget, const Context& context, MatchShuffle& matches);

}  // namespace refrain::verbs::index
