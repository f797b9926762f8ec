// Matches become passages: those that agree with about the same stretch of one document are places of one passage.
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
  bool nested = false;  // matches may lie inside others, and those are none of their own
};

// Takes the matches away. The places of a passage go to `places`, in the order of their documents; the passages come
// back as they are to be shown.
Array<FoundPassage> group_matches(MatchShuffle& matches, const TokenTable& table, const run::TextStore& tokens,
                                  const GroupRules& rules, std::uint64_t memory_bytes, MemoryBudget& budget,
                                  const Context& context, TempFile& places);

}  // namespace refrain::verbs::index
