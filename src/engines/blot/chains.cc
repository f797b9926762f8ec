#include "engines/blot/chains.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <utility>

#include "base/hash.h"
#include "engines/blot/format.h"
#include "refrain/error.h"

namespace refrain::blot {
namespace {

constexpr std::uint64_t kMixFirst = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kMixSecond = 0xbf58476d1ce4e5b9;
constexpr std::size_t kMaxComparisonSort = 4096;  // up to this many are sorted by comparisons
constexpr unsigned kDigitBits = 11;

// One pass of a stable radix sort, by kDigitBits bits of `field`.
template <class Field>
void sort_digit(Array<Hit>& from, Array<Hit>& to, Field field, unsigned shift) {
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  std::array<std::size_t, kDigits> places{};
  const auto digit = [&](const Hit& hit) { return static_cast<std::size_t>(field(hit) >> shift) & (kDigits - 1); };
  for (const Hit& hit : from) ++places[digit(hit)];
  std::size_t place = 0;
  for (std::size_t& count : places) place += std::exchange(count, place);
  for (const Hit& hit : from) to[places[digit(hit)]++] = hit;
  std::swap(from, to);
}

// Sorts by block, then by query token.
void sort_hits(Array<Hit>& hits, MemoryBudget& budget) {
  if (hits.size() <= kMaxComparisonSort) {
    std::sort(hits.begin(), hits.end(),
              [](const Hit& a, const Hit& b) { return a.block != b.block ? a.block < b.block : a.query < b.query; });
    return;
  }
  std::uint64_t blocks = 0;
  std::uint64_t queries = 0;
  for (const Hit& hit : hits) {
    blocks |= hit.block;
    queries |= hit.query;
  }
  Array<Hit> other(budget, "the hits of a query, sorted", hits.size());
  const auto query = [](const Hit& hit) { return std::uint64_t{hit.query}; };
  const auto block = [](const Hit& hit) { return hit.block; };
  for (unsigned shift = 0; shift < 64 && queries >> shift != 0; shift += kDigitBits)
    sort_digit(hits, other, query, shift);
  for (unsigned shift = 0; shift < 64 && blocks >> shift != 0; shift += kDigitBits)
    sort_digit(hits, other, block, shift);
}

std::uint64_t distance(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint64_t>(a > b ? a - b : b - a);
}

// Indexes intervals by length and begin, so that those for which nearly_same() holds are found in a few cells.
class IntervalGrid {
 public:
  IntervalGrid(MemoryBudget& budget, std::size_t intervals, std::uint32_t longest)
      : heads_(budget, "the candidates of a query, by place", std::bit_ceil(2 * intervals + 1)),
        next_(budget, "the candidates of a query, by place") {
    for (std::uint64_t bound = 1; bound <= longest; bound = std::max(bound + 1, bound * 5 / 4))
      classes_.push_back(static_cast<std::uint32_t>(bound));
  }

  // Returns the index of the first candidate that the interval is nearly the same as, or candidates.size() if there
  // is none.
  std::size_t find(const Array<Candidate>& candidates, std::uint32_t begin, std::uint32_t end) const {
    const std::uint64_t length = end - begin;
    const std::uint64_t shift = length / 4 + 1;
    std::size_t found = candidates.size();
    for (std::size_t size = class_of(length); size <= class_of(length * 5 / 4); ++size) {
      const std::uint64_t last = (begin + shift) / cell_tokens(size);
      for (std::uint64_t cell = (begin - std::min<std::uint64_t>(shift, begin)) / cell_tokens(size); cell <= last;
           ++cell)
        for (std::uint32_t at = heads_[slot(size, cell)]; at != 0; at = next_[at - 1]) {
          const Candidate& candidate = candidates[at - 1];
          if (at - 1 < found && nearly_same(candidate.begin, candidate.end, begin, end)) found = at - 1;
        }
    }
    return found;
  }

  // Adds the last one of `candidates`.
  void add(const Array<Candidate>& candidates) {
    const Candidate& candidate = candidates[candidates.size() - 1];
    const std::size_t size = class_of(candidate.length());
    std::uint32_t& head = heads_[slot(size, candidate.begin / cell_tokens(size))];
    next_.push_back(head);
    head = static_cast<std::uint32_t>(candidates.size());
  }

 private:
  std::size_t class_of(std::uint64_t length) const {
    return static_cast<std::size_t>(std::upper_bound(classes_.begin(), classes_.end(), length) - classes_.begin()) - 1;
  }
  std::uint64_t cell_tokens(std::size_t size) const { return std::max<std::uint64_t>(1, classes_[size] / 4); }
  std::size_t slot(std::size_t size, std::uint64_t cell) const {
    return static_cast<std::size_t>(mix(cell << 10U | size, kMixFirst, kMixSecond)) & (heads_.size() - 1);
  }

  std::vector<std::uint32_t> classes_;  // the least length of each class
  Array<std::uint32_t> heads_;          // by hash of the cell: the index of a candidate plus 1, or 0
  Array<std::uint32_t> next_;           // by candidate: the next one of the cell, in the same form
};

}  // namespace

Chainer::Chainer(MemoryBudget& budget, const ChainRules& rules)
    : budget_(budget),
      rules_(rules),
      hits_(budget, "the hits of a query"),
      chains_(budget, "the chains of a query"),
      open_(budget, "the chains of a document"),
      seen_(budget, "the diagonals of a document") {}

void Chainer::reserve(std::uint64_t hits) {
  if (hits >= kNoHit || hits_.size() + hits >= kNoHit)
    throw Error(Errc::over_budget,
                "the query has more than 4 billion hits; set `max_documents`, or use a shorter query");
  hits_.reserve_more(static_cast<std::size_t>(hits));
}

void Chainer::add(std::uint32_t query, std::span<const std::uint64_t> blocks) {
  reserve(blocks.size());
  for (const std::uint64_t block : blocks) hits_.push_back({block, query, kNoHit});
}

void Chainer::link(const std::function<DocumentBlocks(std::uint64_t block)>& document_at) {
  sort_hits(hits_, budget_);
  for (std::size_t first = 0; first < hits_.size();) {
    const DocumentBlocks blocks = document_at(hits_[first].block);
    std::size_t last = first + 1;
    while (last < hits_.size() && hits_[last].block < blocks.end) ++last;
    link_document(blocks, first, last);
    first = last;
  }
}

void Chainer::keep_if(const std::function<bool(const Chain&)>& wanted) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < chains_.size(); ++i)
    if (wanted(chains_[i])) chains_[kept++] = chains_[i];
  chains_.resize(kept);
}

Neighbourhoods find_neighbourhoods(std::span<const Chain> chains, std::uint64_t blocks, std::uint64_t most,
                                   MemoryBudget& budget) {
  constexpr const char* kWhat = "the neighbourhoods of a query";
  Neighbourhoods made{Array<Neighbourhood>(budget, kWhat), Array<std::uint32_t>(budget, kWhat, chains.size())};
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const Chain& chain = chains[i];
    const auto last = [&]() -> Neighbourhood& { return made.all[made.all.size() - 1]; };
    const bool goes_on = !made.all.empty() && last().document == chain.document &&
                         chain.first_block <= last().last_block + blocks &&
                         chain.first_block <= last().first_block + most;
    if (goes_on) {
      last().last_block = std::max(last().last_block, chain.last_block);
      last().begin = std::min(last().begin, chain.begin);
      last().end = std::max(last().end, chain.end);
    } else {
      made.all.push_back({chain.document, chain.first_block, chain.last_block, chain.begin, chain.end});
    }
    made.of_chain[i] = static_cast<std::uint32_t>(made.all.size() - 1);
  }
  return made;
}

std::int64_t Chainer::bucket_of(std::int64_t diagonal) const {
  const auto width = static_cast<std::int64_t>(rules_.diagonal) + 1;
  return diagonal >= 0 ? diagonal / width : (diagonal + 1) / width - 1;
}

std::uint32_t& Chainer::slot(std::int64_t bucket) {
  return seen_[static_cast<std::size_t>(mix(static_cast<std::uint64_t>(bucket), kMixFirst, kMixSecond) & seen_mask_)];
}

// Two chains can hash to the same slot; the older one is then no longer found, so it ends early, and what would have
// been its second half becomes a chain of its own.
void Chainer::link_document(const DocumentBlocks& blocks, std::size_t first, std::size_t last) {
  const std::size_t slots = std::bit_ceil(4 * (last - first));
  if (slots > seen_.size()) seen_.resize(slots);
  seen_mask_ = slots - 1;
  open_.clear();
  const std::size_t first_chain = chains_.size();
  for (std::size_t i = first; i < last; ++i) {
    const Hit hit = hits_[i];
    const std::int64_t diagonal =
        static_cast<std::int64_t>((hit.block - blocks.begin) * kBlockTokens) - static_cast<std::int64_t>(hit.query);
    std::uint32_t at = find_open(diagonal, hit, first_chain);
    if (at == kNoHit) {
      at = static_cast<std::uint32_t>(open_.size());
      open_.push_back({hit.block, diagonal, diagonal, hit.query, kNoHit});
      chains_.push_back({blocks.document, hit.block, hit.block, hit.query, hit.query + rules_.span,
                         static_cast<std::uint32_t>(i), 0, 0});
    } else {
      hits_[open_[at].last_hit].next = static_cast<std::uint32_t>(i);
    }
    Open& open = open_[at];
    if (open.block != hit.block) {
      open.before = std::exchange(open.diagonal, diagonal);
      open.block = hit.block;
    } else if (distance(diagonal, open.before) < distance(open.diagonal, open.before)) {
      open.diagonal = diagonal;
    }
    open.query = std::max(open.query, hit.query);
    open.last_hit = static_cast<std::uint32_t>(i);
    Chain& chain = chains_[first_chain + at];
    chain.last_block = hit.block;
    chain.begin = std::min(chain.begin, hit.query);
    chain.end = std::max(chain.end, hit.query + rules_.span);
    ++chain.hits;
    slot(bucket_of(open.diagonal)) = static_cast<std::uint32_t>(first_chain + at + 1);
  }
}

// Returns the chain of this document that is nearest to the hit, or kNoHit if the hit can belong to none.
std::uint32_t Chainer::find_open(std::int64_t diagonal, const Hit& hit, std::size_t first_chain) const {
  std::uint32_t found = kNoHit;
  std::uint64_t nearest = rules_.diagonal + 1;
  const std::int64_t middle = bucket_of(diagonal);
  for (std::int64_t bucket = middle - 1; bucket <= middle + 1; ++bucket) {
    const std::uint64_t hash = mix(static_cast<std::uint64_t>(bucket), kMixFirst, kMixSecond) & seen_mask_;
    const std::uint32_t at = seen_[static_cast<std::size_t>(hash)];
    if (at <= first_chain || at - 1 - first_chain >= open_.size()) continue;
    const Open& open = open_[at - 1 - first_chain];
    const std::uint64_t away = distance(diagonal, open.block == hit.block ? open.before : open.diagonal);
    if (away >= nearest || distance(hit.query, open.query) > rules_.reach) continue;
    nearest = away;
    found = static_cast<std::uint32_t>(at - 1 - first_chain);
  }
  return found;
}

bool nearly_same(std::uint64_t a_begin, std::uint64_t a_end, std::uint64_t b_begin, std::uint64_t b_end) {
  const std::uint64_t begin = std::max(a_begin, b_begin);
  const std::uint64_t end = std::min(a_end, b_end);
  if (begin >= end) return false;
  const std::uint64_t both = end - begin;
  return both * 5 >= (a_end - a_begin + b_end - b_begin - both) * 4;
}

bool better(const Candidate& a, const Candidate& b) {
  if (a.worth != b.worth) return a.worth > b.worth;
  if (a.length() != b.length()) return a.length() > b.length();
  return a.chains != b.chains ? a.chains > b.chains : a.begin < b.begin;
}

RankedCandidates group_chains(std::span<Chain> chains,
                              const std::function<std::uint64_t(std::uint32_t begin, std::uint32_t end)>& worth,
                              MemoryBudget& budget) {
  struct Keyed {
    std::uint64_t key;
    std::uint32_t chain;
  };
  Array<Keyed> order(budget, "the chains of a query, sorted", chains.size());
  for (std::size_t i = 0; i < chains.size(); ++i)
    order[i] = {std::uint64_t{~chains[i].length()} << 32U | chains[i].begin, static_cast<std::uint32_t>(i)};
  std::sort(order.begin(), order.end(),
            [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.chain < b.chain; });

  RankedCandidates made{Array<Candidate>(budget, "the candidates of a query"),
                        Array<std::uint32_t>(budget, "the chains of the candidates of a query", chains.size())};
  if (chains.empty()) return made;
  std::size_t intervals = 1;
  for (std::size_t i = 1; i < order.size(); ++i) intervals += order[i].key != order[i - 1].key ? 1 : 0;
  IntervalGrid grid(budget, intervals, chains[order[0].chain].length());
  std::size_t at = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Chain& chain = chains[order[i].chain];
    if (i == 0 || order[i].key != order[i - 1].key) {
      at = grid.find(made.candidates, chain.begin, chain.end);
      if (at == made.candidates.size()) {
        made.candidates.push_back({chain.begin, chain.end, 0, 0, worth(chain.begin, chain.end)});
        grid.add(made.candidates);
      }
    }
    ++made.candidates[at].chains;
    chain.candidate = static_cast<std::uint32_t>(at);
  }

  // Ranks the candidates, and renumbers them in the chains.
  Array<std::uint32_t> ranks(budget, "the candidates of a query, ranked", made.candidates.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) made.candidates[i].first = static_cast<std::uint32_t>(i);
  std::sort(made.candidates.begin(), made.candidates.end(), better);
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[made.candidates[i].first] = static_cast<std::uint32_t>(i);
    made.candidates[i].first = std::exchange(first, first + made.candidates[i].chains);
  }
  Array<std::uint32_t> filled(budget, "the candidates of a query, filled", ranks.size());
  for (std::size_t i = 0; i < chains.size(); ++i) {
    chains[i].candidate = ranks[chains[i].candidate];
    const std::uint32_t place = made.candidates[chains[i].candidate].first + filled[chains[i].candidate]++;
    made.members[place] = static_cast<std::uint32_t>(i);
  }
  for (const Candidate& candidate : made.candidates) {
    std::uint32_t* members = made.members.data() + candidate.first;
    std::sort(members, members + candidate.chains, [&](std::uint32_t a, std::uint32_t b) {
      return chains[a].hits != chains[b].hits ? chains[a].hits > chains[b].hits : a < b;
    });
  }
  return made;
}

}  // namespace refrain::blot
