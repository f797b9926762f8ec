// Leftovers are runs of at least one window that lie in an accepted place of the later document, but agree with
// something else there. The later document already reports them, with the noise of that place. Whether the earlier
// document reports them too is known only after all documents have been grown. If it does not, the leftover becomes
// a match of its own.
#pragma once

#include <cstdint>

#include "verbs/index/extract/plan.h"

namespace refrain::verbs::index {

// A place of a document that will be reported, or a leftover, which asks whether such a place covers it.
struct PlaceOrLeftover {
  std::uint32_t document;
  std::uint32_t first;   // tokens; of a leftover: where its first window begins in the earlier document
  std::uint32_t length;  // of a leftover: how many windows it has
  std::uint32_t rest;    // 1: a leftover, 0: a place
  PassageMatch match;    // only of a leftover
  friend bool operator<(const PlaceOrLeftover& x, const PlaceOrLeftover& y) {
    return std::tie(x.rest, x.first, x.length, x.match) < std::tie(y.rest, y.first, y.length, y.match);
  }
};
struct PlaceOrLeftoverKey {
  std::uint64_t operator()(const PlaceOrLeftover& record) const { return record.document; }
};
using LeftoverShuffle = store::Shuffle<PlaceOrLeftover, PlaceOrLeftoverKey>;

// Turns leftovers that have a window of `span` tokens outside of all places into matches. Consumes the leftovers.
void settle_leftovers(LeftoverShuffle& leftovers, const TokenTable& table, std::uint64_t span,
                      std::uint64_t memory_bytes, MemoryBudget& budget, const Context& context, MatchShuffle& matches);

}  // namespace refrain::verbs::index
