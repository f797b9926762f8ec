// The first step of a query: its blots are looked up, and every place that holds one is a hit.
//
// Places are added as they are decoded: but for the hits, a blot of very many places takes no memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "engines/blot/blotter.h"
#include "engines/blot/chains.h"
#include "refrain/context.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

blot::DocumentBlocks blocks_of_document(Snapshot& snapshot, DocId document);
// Of the document that the block lies in.
blot::DocumentBlocks blocks_at(Snapshot& snapshot, std::uint64_t block);

// Places that are not wanted make no hits, but count where it matters how common a blot is.
struct HitRules {
  std::optional<blot::DocumentBlocks> own;                           // a document that is no answer
  std::optional<std::span<const blot::DocumentBlocks>> wanted = {};  // rising, disjoint; none: all
  std::uint64_t max_documents = 0;                                   // blots in more are passed over; 0: none is
};

// A pair in more blocks than this says little, and is passed over: that bounds what a token of the query can cost.
inline constexpr std::uint64_t kMostPairBlocks = 64;
// What a hit of a token of the query weighs, in sixteenths of a bit: the fewer of the documents hold it, the more. Where the
// same pair begins at several tokens, it is named by the first.
struct HitWeight {
  std::uint32_t first = 0;
  std::uint32_t weight = 0;
};
using HitWeights = Array<HitWeight>;
// `pairs` by blot, then by token, as find_hits takes windows. Raises the weights of the tokens where they begin.
void find_pair_hits(Snapshot& snapshot, std::span<const blot::ChosenWindow> pairs, const HitRules& rules,
                    const Context& context, blot::Chainer& chainer, HitWeights& weights);

// A token of the query whose window the index holds: in how many blocks, wanted or not, and whether it was looked up, which it
// is not where those are too many.
using FoundWindow = std::function<void(std::uint32_t token, std::uint32_t places, bool looked_up)>;

// `windows` by blot, then by token. Error(over_budget) where the hits do not fit.
void find_hits(Snapshot& snapshot, std::span<const blot::ChosenWindow> windows, const HitRules& rules,
               const Context& context, blot::Chainer& chainer, const FoundWindow& found);

}  // namespace refrain::verbs::index
