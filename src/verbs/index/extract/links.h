// Turns equal anchors into links, and links into matches.
//
// Every anchor is linked to the earliest equal one, which gives at most one link per anchor, however many places a
// passage has. In small groups it is also linked to a few anchors right before it, since the earliest one may be part
// of something else. Consecutive links on one diagonal are joined, and the passage is grown from them in both
// directions.
#pragma once

#include <cstdint>

#include "verbs/index/extract/anchors.h"
#include "verbs/index/extract/leftovers.h"
#include "verbs/index/extract/plan.h"

namespace refrain::verbs::index {

// Links the anchors of groups that lie in several documents. Consumes the anchors.
void link_anchors(AnchorShuffle& anchors, const TokenTable& table, const AnchorShapes& shapes,
                  std::uint64_t memory_bytes, const Context& context, LinkShuffle& links);

struct GrowRules {
  blot::AlignRules align;
  AnchorShapes shapes;
  std::uint64_t min_tokens;  // the least number that must agree
};

// Consumes the links. Writes accepted matches to `matches`, and those that settle_rests() must decide about to
// `leftovers`. Returns the total number of tokens of later documents that growing has covered, a measure of its cost.
std::uint64_t grow_links(LinkShuffle& links, const TokenTable& table, const run::TextStore& tokens,
                         const GrowRules& rules, std::uint64_t memory_bytes, MemoryBudget& budget,
                         const Context& context, MatchShuffle& matches, LeftoverShuffle& leftovers);

}  // namespace refrain::verbs::index
