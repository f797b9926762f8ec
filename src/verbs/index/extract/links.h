// Equal anchors become links, links become matches.
//
// Every anchor is linked to the earliest one that is equal to it, so that there are no more links than anchors, however
// many places a passage has; where there are few, also to some that stand right before it, since the earliest may be
// part of something else. Links on one diagonal are one; from each the passage is grown both ways.
#pragma once

#include <cstdint>

#include "verbs/index/extract/anchors.h"
#include "verbs/index/extract/plan.h"
#include "verbs/index/extract/rests.h"

namespace refrain::verbs::index {

// Of groups that lie in several documents. Takes the anchors away.
void link_anchors(AnchorShuffle& anchors, const TokenTable& table, const AnchorShapes& shapes,
                  std::uint64_t memory_bytes, const Context& context, LinkShuffle& links);

struct GrowRules {
  blot::AlignRules align;
  AnchorShapes shapes;
  std::uint64_t min_tokens;  // that agree
};

// Takes the links away. Matches are what is accepted at once; whether rests are, settle_rests() tells. Returns how many
// tokens of later documents growing has taken, all told: what it has cost.
std::uint64_t grow_links(LinkShuffle& links, const TokenTable& table, const run::TextStore& tokens,
                         const GrowRules& rules, std::uint64_t memory_bytes, MemoryBudget& budget,
                         const Context& context, MatchShuffle& matches, RestShuffle& rests);

}  // namespace refrain::verbs::index
