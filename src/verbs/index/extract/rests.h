// Rests: runs of a whole window that lie in an accepted place of the later document, but agree with something else
// there. The later document tells them already, with the noise of that place; whether the earlier one tells them too is
// known only when all documents have been grown. Where it does not, the rest is a match of its own.
#pragma once

#include <cstdint>

#include "verbs/index/extract/plan.h"

namespace refrain::verbs::index {

// A place of a document that will be told, or a rest that asks whether there is one.
struct PlaceOrRest {
  std::uint32_t document;
  std::uint32_t first;   // tokens; of a rest, where its first window begins in the earlier document,
  std::uint32_t length;  // and how many windows there are
  std::uint32_t rest;    // 0: a place
  PassageMatch match;    // of a rest
  friend bool operator<(const PlaceOrRest& x, const PlaceOrRest& y) {
    return std::tie(x.rest, x.first, x.length, x.match) < std::tie(y.rest, y.first, y.length, y.match);
  }
};
struct PlaceOrRestKey {
  std::uint64_t operator()(const PlaceOrRest& record) const { return record.document; }
};
using RestShuffle = store::Shuffle<PlaceOrRest, PlaceOrRestKey>;

// Rests of which a window of `span` tokens lies in no place become matches. Takes the rests away.
void settle_rests(RestShuffle& rests, const TokenTable& table, std::uint64_t span, std::uint64_t memory_bytes,
                  MemoryBudget& budget, const Context& context, MatchShuffle& matches);

}  // namespace refrain::verbs::index
