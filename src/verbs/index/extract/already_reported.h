// Drops matches whose stretches in both documents are already reported as places of earlier documents. Three copies
// make three matches, of which the one between the second and the third adds nothing.
#pragma once

#include <cstdint>

#include "base/budget.h"
#include "refrain/context.h"
#include "store/shuffle.h"
#include "verbs/index/extract/plan.h"

namespace refrain::verbs::index {

// Consumes `found`, and adds the matches that are not dropped to `matches`. `options` are used for all inner shuffles.
void drop_already_reported(MatchShuffle& found, const TokenTable& table, const store::ShuffleOptions& options,
                           std::uint64_t memory_bytes, MemoryBudget& budget, const Context& context,
                           MatchShuffle& matches);

}  // namespace refrain::verbs::index
