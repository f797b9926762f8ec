// The passages that were found are compared for good, and handed out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/files/temp_space.h"
#include "refrain/index.h"
#include "verbs/index/extract/plan.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

struct OutputRules {
  PassageLimits limits;
  std::uint64_t min_tokens;  // that agree
  std::uint64_t min_documents;
};

// In order. Counts passages and occurrences in the report, and notes documents that changed meanwhile.
void hand_out(Snapshot& snapshot, std::span<const FoundPassage> passages, const TempFile& places, TokenTable& table,
              const OutputRules& rules, MemoryBudget& budget, const Context& context, PassageSink& sink,
              ExtractReport& report);

}  // namespace refrain::verbs::index
