#include "verbs/index/query/hits.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"
#include "engines/blot/blotter.h"
#include "engines/blot/finder.h"
#include "engines/blot/format.h"

namespace refrain::verbs::index {

namespace {

// A blot that recurs in the query is looked up for at least its first kPlacesOfABlot places there, and for more only
// if that makes at most kHitsOfABlot hits, so that periodic text costs no more than other text.
constexpr std::size_t kPlacesOfABlot = 8;
constexpr std::size_t kHitsOfABlot = std::size_t{1} << 16U;
constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 31U;
// A pair in more blocks than this says little and is skipped, which bounds the cost of a token of the query.
constexpr std::uint64_t kMostPairBlocks = 64;
// The weight of a hit at a token of the query, in sixteenths of a bit: the fewer blocks hold it, the higher. If the
// same pair begins at several tokens, `first` is the first of them.
struct HitWeight {
  std::uint32_t first = 0;
  std::uint32_t weight = 0;
};
using HitWeights = Array<HitWeight>;
constexpr const char* kHitsWhat = "the hits of a query";

// Calls visit with consecutive blocks, without those of the query's own document, until it returns false.
template <class Visit>
void for_each_block(Snapshot::Blots& blots, const HitRules& rules, Visit visit) {
  for (auto blocks = blots.blocks(); !blocks.empty(); blocks = blots.blocks()) {
    std::size_t before = blocks.size();
    std::size_t behind = before;
    if (rules.own) {
      const auto place = [&](std::uint64_t block) {
        return static_cast<std::size_t>(std::lower_bound(blocks.begin(), blocks.end(), block) - blocks.begin());
      };
      before = place(rules.own->begin);
      behind = place(rules.own->end);
    }
    if (before > 0 && !visit(blocks.first(before))) return;
    if (behind < blocks.size() && !visit(blocks.subspan(behind))) return;
  }
}

// Whether an earlier document searches for this blot. Consumes the first blocks.
bool is_for_another(Snapshot::Blots& blots, const HitRules& rules) {
  if (!rules.first || blots.most() <= kMostPairBlocks) return false;
  const std::span<const std::uint64_t> blocks = blots.blocks();
  return !blocks.empty() && blocks.front() < rules.own->begin;
}

// Calls visit with the wanted ones of `blocks`, a range at a time.
template <class Visit>
void for_each_wanted(std::span<const std::uint64_t> blocks, const HitRules& rules, Visit visit) {
  if (!rules.wanted) return visit(blocks);
  const auto place = [&](std::uint64_t block) {
    const auto at = std::lower_bound(blocks.begin(), blocks.end(), block);
    return static_cast<std::size_t>(at - blocks.begin());
  };
  for (auto range = rules.wanted->begin(); !blocks.empty(); blocks = blocks.subspan(place(range->end))) {
    range = std::partition_point(range, rules.wanted->end(),
                                 [&](const blot::DocumentBlocks& before) { return before.end <= blocks.front(); });
    if (range == rules.wanted->end()) return;
    blocks = blocks.subspan(place(range->begin));
    if (const std::size_t inside = place(range->end); inside > 0) visit(blocks.first(inside));
  }
}

// How a blot is looked up: for how many of the windows of the query that have it, and in how many blocks. If
// `windows` is 0, `blocks` may be too low.
struct Lookup {
  std::size_t windows = 0;
  std::uint64_t blocks = 0;
};

// Decides for how many of `windows` windows: none if it is in too many documents, few if it is in very many blocks.
Lookup plan_lookup(Snapshot& snapshot, Snapshot::Blots& blots, const HitRules& rules, std::size_t windows) {
  const std::uint64_t most = rules.max_documents;
  Lookup lookup;
  std::uint64_t documents = 0;
  std::uint64_t end = 0;  // of the last document that was counted
  for_each_block(blots, rules, [&](std::span<const std::uint64_t> blocks) {
    lookup.blocks += blocks.size();
    if (most == 0) return true;
    for (auto at = blocks.begin(); documents <= most; ++documents) {
      at = std::lower_bound(at, blocks.end(), end);
      if (at == blocks.end()) break;
      end = blocks_at(snapshot, *at).end;
    }
    return documents <= most;
  });
  if (lookup.blocks == 0 || (most != 0 && documents > most)) return lookup;
  lookup.windows = std::min(windows, std::max<std::size_t>(kPlacesOfABlot, kHitsOfABlot / lookup.blocks));
  return lookup;
}

// `pairs` are sorted by blot, then by token. Raises the weights of the tokens where they begin.
void find_pair_hits(Snapshot& snapshot, std::span<const blot::ChosenWindow> pairs, const HitRules& rules,
                    const Context& context, blot::Chainer& chainer, HitWeights& weights) {
  const std::uint32_t all = blot::log2_sixteenths(std::max<std::uint64_t>(1, snapshot.live()));
  std::vector<std::uint64_t> found;
  for (std::size_t first = 0; first < pairs.size();) {
    throw_if_stopped(context);
    std::size_t last = first + 1;
    while (last < pairs.size() && pairs[last].blot == pairs[first].blot) ++last;
    found.clear();
    if (Snapshot::Blots blots(snapshot, pairs[first].blot); blots.next())
      for_each_block(blots, rules, [&](std::span<const std::uint64_t> blocks) {
        found.insert(found.end(), blocks.begin(), blocks.end());
        return found.size() <= kMostPairBlocks;
      });
    if (!found.empty() && found.size() <= kMostPairBlocks) {
      const std::uint32_t common = blot::log2_sixteenths(found.size());
      const std::size_t places = std::min(last, first + kPlacesOfABlot);
      for (std::size_t i = first; i < places; ++i) {
        const auto token = static_cast<std::uint32_t>(pairs[i].first);
        if (weights[token].weight < all)
          weights[token] = {static_cast<std::uint32_t>(pairs[first].first), all - std::min(all, common)};
        for_each_wanted(found, rules, [&](std::span<const std::uint64_t> blocks) { chainer.add(token, blocks); });
      }
    }
    first = last;
  }
}

// `windows` are sorted by blot, then by token. Calls found(token, places, looked_up) for every token whose window is
// in the index: in how many blocks, wanted or not, and whether it was looked up, which it is not if these are too many.
template <class Found>
void find_hits(Snapshot& snapshot, std::span<const blot::ChosenWindow> windows, const HitRules& rules,
               const Context& context, blot::Chainer& chainer, Found found) {
  Progress progress(context, "look up", "windows", windows.size());
  for (std::size_t first = 0; first < windows.size();) {
    const std::uint64_t blot = windows[first].blot;
    std::size_t last = first + 1;
    while (last < windows.size() && windows[last].blot == blot) ++last;
    std::optional<Snapshot::Blots> blots(std::in_place, snapshot, blot);
    if (blots->next() && !is_for_another(*blots, rules)) {
      if (rules.first && blots->most() > kMostPairBlocks) {
        blots.emplace(snapshot, blot);
        blots->next();
      }
      Lookup lookup{last - first, 0};
      const std::uint64_t most = blots->most();
      if (lookup.windows > kPlacesOfABlot || most >= kHitsOfABlot ||
          (rules.max_documents != 0 && most > rules.max_documents)) {
        lookup = plan_lookup(snapshot, *blots, rules, lookup.windows);
        blots.emplace(snapshot, blot);
        blots->next();
      }
      // Hits that do not fit into memory are refused at once, so that the error can say how much all of them take.
      if (!rules.wanted) chainer.reserve(lookup.windows * lookup.blocks);
      const std::span<const blot::ChosenWindow> looked_up = windows.subspan(first, lookup.windows);
      const auto add = [&](std::span<const std::uint64_t> blocks) {
        for (const blot::ChosenWindow& window : looked_up)
          chainer.add(static_cast<std::uint32_t>(window.first), blocks);
      };
      std::uint64_t held = looked_up.empty() ? lookup.blocks : 0;
      if (!looked_up.empty())
        for_each_block(*blots, rules, [&](std::span<const std::uint64_t> blocks) {
          held += blocks.size();
          for_each_wanted(blocks, rules, add);
          return true;
        });
      const auto places = static_cast<std::uint32_t>(std::min<std::uint64_t>(held, kMostPlaces));
      if (places > 0)
        for (std::size_t i = first; i < last; ++i)
          found(static_cast<std::uint32_t>(windows[i].first), places, i < first + lookup.windows);
    }
    progress.add(last - first);
    first = last;
  }
  progress.finish();
}

}  // namespace

blot::DocumentBlocks blocks_of_document(Snapshot& snapshot, DocId document) {
  const std::uint64_t first = snapshot.first_block(document);
  return {document, first, first + blot::blocks_of(snapshot.tokens(document))};
}

blot::DocumentBlocks blocks_at(Snapshot& snapshot, std::uint64_t block) {
  return blocks_of_document(snapshot, snapshot.document_at(block));
}

Rarity find_chains(Snapshot& snapshot, const QueryText& query, const HitRules& rules, const Context& context,
                   MemoryBudget& budget, blot::Chainer& chainer) {
  const auto tokens = static_cast<std::size_t>(query.tokens());
  const bool with_pairs = !query.pairs().empty();
  const std::uint32_t enough = blot::log2_sixteenths(std::max<std::uint64_t>(1, snapshot.live())) * 3 / 2;
  Array<std::uint32_t> places(budget, kHitsWhat, tokens);
  HitWeights weights(budget, kHitsWhat, with_pairs ? tokens : 0);
  find_hits(snapshot, query.windows(), rules, context, chainer,
            [&](std::uint32_t token, std::uint32_t held, bool looked_up) {
              places[token] = held;
              if (with_pairs && looked_up) weights[token] = {token, enough};
            });
  if (with_pairs) find_pair_hits(snapshot, query.pairs(), rules, context, chainer, weights);
  chainer.link([&](std::uint64_t block) { return blocks_at(snapshot, block); });
  if (with_pairs) {
    const std::span<const blot::Hit> hits = chainer.hits();
    Array<std::uint32_t> counted(budget, kHitsWhat, tokens);
    std::uint32_t number = 0;
    chainer.keep_if([&](const blot::Chain& chain) {
      ++number;
      std::uint64_t weight = 0;
      for (std::uint32_t at = chain.first_hit; at != blot::kNoHit && weight < enough; at = hits[at].next) {
        const HitWeight& hit = weights[hits[at].query];
        if (std::exchange(counted[hit.first], number) != number) weight += hit.weight;
      }
      return weight >= enough;
    });
  }
  const std::size_t span = blot::blot_shape(snapshot.layout()).span();
  const std::size_t window = std::max<std::size_t>(snapshot.layout().window, span);
  return {{places.data(), places.size()}, span, window - span, snapshot.live(), budget};
}

}  // namespace refrain::verbs::index
