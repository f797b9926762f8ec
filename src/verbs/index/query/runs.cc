#include "verbs/index/query/runs.h"

#include <algorithm>

#include "engines/blot/format.h"

namespace refrain::verbs::index {
namespace {

// A run is compared with those of this many chains of its document, the longest ones, wherever they are.
constexpr std::size_t kLongest = 8;

// Whether `other` is redundant beside `run`: it adds nothing in the document, and hardly anything in the query.
bool replaces(const SharedRun& run, const SharedRun& other) {
  const bool adds_nothing = run.place.first <= other.place.first && run.place.last >= other.place.last;
  return run.holds(other) ||
         (adds_nothing && blot::nearly_same(run.query.first, run.query.last, other.query.first, other.query.last));
}

// Whether `other` only repeats, at another place of the document, a part of what `run` shares with it.
bool repeats(const SharedRun& run, const SharedRun& other) {
  return run.query.first <= other.query.first && run.query.last >= other.query.last &&
         2 * other.query.size() <= run.query.size() && 2 * other.matches <= run.matches;
}

}  // namespace

DocumentRuns::DocumentRuns(Snapshot& snapshot, std::string_view text, const PassageLimits& limits,
                           const ExcludedTexts& excluded, MemoryBudget& budget)
    : snapshot_(snapshot),
      limits_(limits),
      excluded_(excluded),
      budget_(budget),
      query_(snapshot.layout(), snapshot.hasher(), text, limits.edits == Edits::heavy, budget),
      chainer_(budget, chain_rules(snapshot.layout(), limits)),
      furthest_(budget, "the chains of a query"),
      longest_(budget, "the chains of a query") {}

void DocumentRuns::find(const HitRules& rules, const Context& context) {
  rarity_.emplace(find_chains(snapshot_, query_, rules, context, budget_, chainer_));
  note_furthest();
  note_longest();
  comparisons_.emplace(snapshot_, query_, chainer_.chains(), chainer_.hits(), limits_, budget_);
}

void DocumentRuns::note_furthest() {
  const std::span<const blot::Chain> chains = chainer_.chains();
  furthest_.resize(chains.size());
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const bool goes_on = i > 0 && chains[i - 1].document == chains[i].document;
    furthest_[i] = std::max(chains[i].last_block, goes_on ? furthest_[i - 1] : 0);
  }
}

void DocumentRuns::note_longest() {
  const std::span<const blot::Chain> chains = chainer_.chains();
  longest_.resize(chains.size());
  for (std::size_t first = 0, last = 0; first < chains.size(); first = last) {
    for (; last < chains.size() && chains[last].document == chains[first].document; ++last)
      longest_[last] = static_cast<std::uint32_t>(last);
    const std::size_t most = std::min(kLongest, last - first);
    std::partial_sort(longest_.begin() + first, longest_.begin() + first + most, longest_.begin() + last,
                      [&](std::uint32_t a, std::uint32_t b) { return ranks_before(a, b); });
  }
}

std::vector<SharedRun> DocumentRuns::reported(std::uint32_t chain,
                                              const std::function<bool(std::uint32_t chain)>& is_left_out) {
  std::vector<SharedRun> runs = compare(chain);
  std::erase_if(runs,
                [&](const SharedRun& run) { return is_excluded(run) || covered_by_another(chain, run, is_left_out); });
  return runs;
}

const std::vector<SharedRun>& DocumentRuns::compare(std::uint32_t chain) {
  try {
    return comparisons_->runs(chain);
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) throw;
    note_changed(document(chain), error);
    return comparisons_->runs(chain);
  }
}

// Decided by what this one document shares, no matter which other documents share about the same.
bool DocumentRuns::is_excluded(const SharedRun& run) const {
  return !excluded_.empty() && excluded_.hold(query_.hashes().subspan(run.query.first, run.query.size()));
}

// Orders chains of one document: the longer one first, whatever other documents hold.
bool DocumentRuns::ranks_before(std::uint32_t a, std::uint32_t b) {
  const blot::Chain& x = chainer_.chains()[a];
  const blot::Chain& y = chainer_.chains()[b];
  if (x.length() != y.length()) return x.length() > y.length();
  return x.hits != y.hits ? x.hits > y.hits : a < b;
}

// Whether another run of the same document covers the same place, or more, or is at least twice as long, and this is
// a part of it that the document repeats. Among equal runs, that of the first chain stays.
bool DocumentRuns::covered_by_another(std::uint32_t chain, const SharedRun& run,
                                      const std::function<bool(std::uint32_t chain)>& is_left_out) {
  const auto is_covered = [&](const SharedRun& other, bool comes_first) {
    return (replaces(other, run) && (comes_first || !replaces(run, other))) ||
           (limits_.edits != Edits::none && repeats(other, run));
  };
  bool comes_first = true;
  for (const SharedRun& other : compare(chain)) {
    if (other == run)
      comes_first = false;
    else if (is_covered(other, comes_first))
      return true;
  }
  const std::span<const blot::Chain> chains = chainer_.chains();
  const DocId in = chains[chain].document;
  const std::uint64_t first_block = snapshot_.first_block(in);
  const std::uint64_t begin = first_block + run.place.first / blot::kBlockTokens;
  const std::uint64_t end = first_block + blot::blocks_of(run.place.last);
  const auto of_document = std::partition_point(chains.begin(), chains.begin() + chain,
                                                [&](const blot::Chain& before) { return before.document < in; });
  const std::uint64_t* const reaching =
      std::lower_bound(furthest_.begin() + (of_document - chains.begin()), furthest_.begin() + chain, begin);
  for (auto at = static_cast<std::size_t>(reaching - furthest_.begin()); at < chains.size(); ++at) {
    const blot::Chain& other = chains[at];
    if (other.document != in || other.first_block >= end) break;
    const auto number = static_cast<std::uint32_t>(at);
    if (other.begin >= run.query.last || other.end <= run.query.first) continue;
    if (number == chain || other.last_block < begin || is_left_out(number)) continue;
    const bool is_before = ranks_before(number, chain);
    const std::vector<SharedRun>& runs = compare(number);
    if (std::any_of(runs.begin(), runs.end(), [&](const SharedRun& one) { return is_covered(one, is_before); }))
      return true;
  }
  if (limits_.edits == Edits::none) return false;
  const std::uint32_t* const longest = longest_.begin() + (of_document - chains.begin());
  for (std::size_t i = 0; i < kLongest && longest + i < longest_.end() && chains[longest[i]].document == in; ++i) {
    const std::uint32_t number = longest[i];
    if (number == chain || chains[number].length() < run.query.size() || is_left_out(number)) continue;
    const std::vector<SharedRun>& runs = compare(number);
    if (std::any_of(runs.begin(), runs.end(), [&](const SharedRun& one) { return repeats(one, run); })) return true;
  }
  return false;
}

void DocumentRuns::note_changed(DocId document, const Error& error) {
  const auto at = std::lower_bound(changed_.begin(), changed_.end(), document,
                                   [](const Changed& one, DocId other) { return one.document < other; });
  if (at != changed_.end() && at->document == document) return;
  changed_.insert(at, {document, error.what()});
}

}  // namespace refrain::verbs::index
