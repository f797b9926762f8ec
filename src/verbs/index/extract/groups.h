// Groups matches into passages: matches with about the same stretch of one document are places of one passage.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/files/temp_space.h"
#include "refrain/index.h"
#include "verbs/index/extract/plan.h"
#include "verbs/index/read/excluded_texts.h"

namespace refrain::verbs::index {

struct GroupRules {
  std::uint64_t min_documents;
  const ExcludedTexts& excluded;
  bool nested = false;  // matches may lie inside others, and such matches are dropped
};

// Consumes the matches. Writes the places of each passage to `places`, ordered by document, and returns the passages
// in the order in which they are reported.
Array<FoundPassage> group_matches(MatchShuffle& matches, const TokenTable& table, const run::TextStore& tokens,
                                  const GroupRules& rules, std::uint64_t memory_bytes, MemoryBudget& budget,
                                  const Context& context, TempFile& places);

}  // namespace refrain::verbs::index
