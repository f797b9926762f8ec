// Compares the texts of the passages that were found, and reports those that hold.
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
  std::uint64_t min_tokens;  // the least number that must agree
  std::uint64_t min_documents;
};

// Reports passages in order. Counts passages and occurrences in the report, and notes documents that changed
// meanwhile.
void report_passages(Snapshot& snapshot, std::span<const FoundPassage> passages, const TempFile& places,
                     TokenTable& table, const OutputRules& rules, MemoryBudget& budget, const Context& context,
                     PassageSink& sink, ExtractReport& report);

}  // namespace refrain::verbs::index
