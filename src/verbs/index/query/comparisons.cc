#include "verbs/index/query/comparisons.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "engines/blot/format.h"
#include "refrain/error.h"

namespace refrain::verbs::index {
namespace {

constexpr const char* kRunsWhat = "the comparisons of a query";
// A neighborhood ends where the document has no further chain within this many blocks,
constexpr std::uint64_t kApartBlocks = 1024 / blot::kBlockTokens;
// or where it would be longer than this: no more of a document is compared at once.
constexpr std::uint64_t kMostBlocks = (std::uint64_t{1} << 16U) / blot::kBlockTokens;
// A run of this many tokens in order is a passage, however common they are, if its chain has this many hits.
constexpr std::uint64_t kLongRun = 64;
constexpr std::uint32_t kLongRunHits = 6;
// At most this many chains of a neighborhood are joined with its runs in any order.
constexpr std::uint32_t kChainsJoined = 64;

bool mostly_inside(const TokenRange& part, const TokenRange& whole) {
  const std::uint64_t begin = std::max(part.first, whole.first);
  const std::uint64_t end = std::min(part.last, whole.last);
  return end > begin && 2 * (end - begin) >= part.size();
}

bool is_held(const SharedRun& run, const std::vector<SharedRun>& runs) {
  return std::any_of(runs.begin(), runs.end(), [&](const SharedRun& other) { return other.holds(run); });
}

bool is_asked_in(const SharedRun& run, const std::vector<SharedRun>& runs) {
  return std::any_of(runs.begin(), runs.end(), [&](const SharedRun& other) {
    return other.query.first <= run.query.first && other.query.last >= run.query.last;
  });
}

TokenRange both_of(const TokenRange& a, const TokenRange& b) {
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

}  // namespace

Comparisons::Comparisons(Snapshot& snapshot, const QueryText& query, std::span<const blot::Chain> chains,
                         std::span<const blot::Hit> hits, const PassageLimits& limits, MemoryBudget& budget)
    : snapshot_(snapshot),
      query_(query),
      chains_(chains),
      hits_(hits),
      limits_(limits),
      budget_(budget),
      neighbourhoods_(std::make_shared<const blot::Neighbourhoods>(
          blot::find_neighbourhoods(chains, kApartBlocks, kMostBlocks, budget))),
      comparer_(snapshot, query, limits, budget),
      held_(budget.reserve(0, kRunsWhat)) {}

Comparisons::Comparisons(Snapshot& snapshot, const Comparisons& base)
    : snapshot_(snapshot),
      base_(&base),
      query_(base.query_),
      chains_(base.chains_),
      hits_(base.hits_),
      limits_(base.limits_),
      budget_(base.budget_),
      neighbourhoods_(base.neighbourhoods_),
      comparer_(snapshot, query_, limits_, budget_),
      held_(budget_.reserve(0, kRunsWhat)) {}

void Comparisons::compare_ahead(std::span<const std::uint32_t> chains, QueryWorkers& query_workers) {
  // By neighborhood, since what is found in one is needed for all of its chains.
  std::vector<std::uint32_t> sorted;
  std::copy_if(chains.begin(), chains.end(), std::back_inserter(sorted),
               [&](std::uint32_t chain) { return !runs_.contains(chain); });
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::span<const std::uint32_t>> parts;
  for (std::size_t first = 0, last = 0; first < sorted.size(); first = last) {
    const auto neighbourhood = [&](std::size_t i) { return neighbourhoods_->of_chain[sorted[i]]; };
    while (last < sorted.size() && neighbourhood(last) == neighbourhood(first)) ++last;
    parts.push_back(std::span(sorted).subspan(first, last - first));
  }
  std::array<std::unique_ptr<Comparisons>, QueryWorkers::kMostWorkers> workers;
  query_workers.run(parts.size(), [&](unsigned worker, Snapshot& snapshot, std::size_t part) {
    if (!workers[worker]) workers[worker].reset(new Comparisons(snapshot, *this));
    workers[worker]->try_to_compare(parts[part]);
  });
  for (std::unique_ptr<Comparisons>& worker : workers) {
    if (worker) take_over(*worker);
    worker.reset();
  }
  reserve_runs();
}

// Compares all of these chains, which lie in one neighborhood. If one fails, the results of all are dropped.
void Comparisons::try_to_compare(std::span<const std::uint32_t> chains) {
  try {
    for (const std::uint32_t chain : chains) runs(chain);
  } catch (const Error&) {
    const std::uint32_t neighbourhood = neighbourhoods_->of_chain[chains.front()];
    const auto [first, last] = chains_of(neighbourhood);
    for (std::uint32_t i = first; i < last; ++i)
      for (Runs* runs : {&runs_, &in_order_, &exact_}) runs->erase(i);
    loose_.erase(neighbourhood);
    settled_.erase(neighbourhood);
    same_.erase(chains_[chains.front()].document);
  }
}

// The result of the base, or null.
template <class Map>
const typename Map::mapped_type* Comparisons::known(Map Comparisons::*map, typename Map::key_type key) const {
  if (base_ == nullptr) return nullptr;
  const auto found = (base_->*map).find(key);
  return found == (base_->*map).end() ? nullptr : &found->second;
}

void Comparisons::take_over(Comparisons& other) {
  runs_.merge(other.runs_);
  in_order_.merge(other.in_order_);
  exact_.merge(other.exact_);
  loose_.merge(other.loose_);
  settled_.merge(other.settled_);
  same_.merge(other.same_);
}

const std::vector<SharedRun>& Comparisons::runs(std::uint32_t chain) {
  const auto [at, is_new] = runs_.try_emplace(chain);
  if (!is_new) return at->second;
  reserve_runs();
  at->second = compare(chain);
  return at->second;
}

void Comparisons::reserve_runs() {
  constexpr std::uint64_t kStep = 4096;
  constexpr std::uint64_t kBytes = 4 * sizeof(SharedRun);
  if (runs_.size() * kBytes > held_.bytes()) held_.resize((runs_.size() + kStep) * kBytes, kRunsWhat);
}

std::vector<SharedRun> Comparisons::compare(std::uint32_t chain) {
  const blot::Chain& that = chains_[chain];
  const std::uint32_t number = neighbourhoods_->of_chain[chain];
  if (is_same(that.document)) return {comparer_.whole()};
  // With heavy edits, many places turn out not to be similar, so nothing is read ahead.
  const bool is_new = !settled_.contains(number) && known(&Comparisons::settled_, number) == nullptr;
  if (limits_.edits == Edits::light && is_new) comparer_.read_ahead(neighbourhoods_->all[number]);
  if (limits_.edits == Edits::none || is_in_order(number)) return in_order(chain);
  const std::vector<SharedRun>& found = loose(number);
  std::vector<SharedRun> runs = reported_in_order(chain);
  // With heavy edits, a phrase of a passage is reported as a part of it, and not again wherever the document repeats
  // it.
  std::erase_if(runs, [&](const SharedRun& run) {
    return limits_.edits == Edits::heavy ? is_asked_in(run, found) : is_held(run, found);
  });
  if (limits_.edits == Edits::heavy && found.empty() && that.hits >= kLongRunHits) {
    std::vector<SharedRun> long_runs = in_order(chain);
    std::erase_if(long_runs, [](const SharedRun& run) { return run.matches < kLongRun; });
    std::erase_if(runs, [&](const SharedRun& run) { return is_held(run, long_runs); });
    runs.insert(runs.begin(), long_runs.begin(), long_runs.end());
  }
  const std::uint64_t first_block = snapshot_.first_block(that.document);
  for (const SharedRun& run : found)
    if (run.query.first < that.end && run.query.last > that.begin &&
        first_block + run.place.first / blot::kBlockTokens <= that.last_block &&
        first_block + blot::blocks_of(run.place.last) > that.first_block)
      runs.push_back(run);
  return runs;
}

// Whether the document is the query. Then nothing else is reported for it, however many chains there are.
bool Comparisons::is_same(DocId document) {
  if (const bool* same = known(&Comparisons::same_, document)) return *same;
  const auto [at, is_new] = same_.try_emplace(document, false);
  if (is_new) at->second = comparer_.is_same(document);
  return at->second;
}

// Whether the largest chain covers the whole neighborhood in order, so that there is nothing more to find. With
// heavy edits, only long neighborhoods are checked: in others, words that moved at the ends belong to the passage too.
bool Comparisons::is_in_order(std::uint32_t neighbourhood) {
  if (const bool* settled = known(&Comparisons::settled_, neighbourhood)) return *settled;
  const auto [at, is_new] = settled_.try_emplace(neighbourhood, false);
  if (!is_new) return at->second;
  const blot::Neighbourhood& place = neighbourhoods_->all[neighbourhood];
  if (limits_.edits == Edits::heavy && place.last_block - place.first_block < kMostBlocks) return false;
  const auto [first, last] = chains_of(neighbourhood);
  std::uint32_t largest = first;
  for (std::uint32_t i = first; i < last; ++i)
    if (chains_[i].hits > chains_[largest].hits) largest = i;
  const std::vector<SharedRun>& runs = in_order(largest);
  at->second = std::any_of(runs.begin(), runs.end(), [&](const SharedRun& run) {
    return run.query.first <= place.begin && run.query.last >= place.end &&
           10 * run.matches >= 9 * std::max(run.query.size(), run.place.size());
  });
  return at->second;
}

const std::vector<SharedRun>& Comparisons::in_order(std::uint32_t chain) {
  if (const std::vector<SharedRun>* runs = known(&Comparisons::in_order_, chain)) return *runs;
  const auto [at, is_new] = in_order_.try_emplace(chain);
  if (is_new) at->second = comparer_.compare(chains_[chain], hits_);
  return at->second;
}

// The runs in order that are reported for the chain, whatever else is found around it.
const std::vector<SharedRun>& Comparisons::reported_in_order(std::uint32_t chain) {
  if (limits_.edits != Edits::heavy) return in_order(chain);
  if (const std::vector<SharedRun>* runs = known(&Comparisons::exact_, chain)) return *runs;
  const auto [at, is_new] = exact_.try_emplace(chain);
  if (is_new) at->second = comparer_.compare_exactly(chains_[chain], hits_);
  return at->second;
}

const std::vector<SharedRun>& Comparisons::loose(std::uint32_t neighbourhood) {
  if (const std::vector<SharedRun>* runs = known(&Comparisons::loose_, neighbourhood)) return *runs;
  const auto [at, is_new] = loose_.try_emplace(neighbourhood);
  if (!is_new) return at->second;
  const auto [first, last] = chains_of(neighbourhood);
  at->second =
      comparer_.compare_loosely(neighbourhoods_->all[neighbourhood], chains_.subspan(first, last - first), hits_);
  if (!at->second.empty()) join_in_order(neighbourhood, at->second);
  return at->second;
}

// The first chain and the one after the last.
std::pair<std::uint32_t, std::uint32_t> Comparisons::chains_of(std::uint32_t neighbourhood) const {
  const std::uint32_t* const begin = neighbourhoods_->of_chain.begin();
  const auto [first, last] = std::equal_range(begin, neighbourhoods_->of_chain.end(), neighbourhood);
  return {static_cast<std::uint32_t>(first - begin), static_cast<std::uint32_t>(last - begin)};
}

// Extends runs in any order by the runs in order that lie mostly inside them.
void Comparisons::join_in_order(std::uint32_t neighbourhood, std::vector<SharedRun>& loose) {
  const auto [first, last] = chains_of(neighbourhood);
  for (std::uint32_t i = first; i < std::min(last, first + kChainsJoined); ++i)
    for (const SharedRun& run : reported_in_order(i))
      for (SharedRun& other : loose)
        if (mostly_inside(run.query, other.query) && mostly_inside(run.place, other.place)) {
          other.query = both_of(other.query, run.query);
          other.place = both_of(other.place, run.place);
        }
  for (std::size_t i = loose.size(); i-- > 0;)
    for (std::size_t j = 0; j < loose.size(); ++j)
      if (i != j && loose[j].holds(loose[i])) {
        loose.erase(loose.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
}

}  // namespace refrain::verbs::index
