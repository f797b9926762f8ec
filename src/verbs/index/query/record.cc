#include "verbs/index/query/record.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/checksum.h"
#include "base/progress.h"
#include "engines/blot/chains.h"
#include "engines/blot/finder.h"
#include "engines/blot/format.h"
#include "refrain/error.h"
#include "verbs/index/query/compare.h"
#include "verbs/index/query/comparisons.h"
#include "verbs/index/query/cursor.h"
#include "verbs/index/query/hits.h"
#include "verbs/index/query/rarity.h"
#include "verbs/index/query/text.h"
#include "verbs/index/read/occurrence.h"

namespace refrain::verbs::index {
namespace {

// A page ends when so many chains were compared, or `limit` times `max_occurrences` where that is more, be there passages
// or not: the rest is for the next one.
constexpr std::uint64_t kComparedAPage = 1000;
// Candidates differ by where their blots are, passages by where their tokens are: so many are compared together, best
// first, that nearly the same stretch of the query is not told again and again.
constexpr std::size_t kCandidatesAtOnce = 64;
// So many passages are compared with all of their places before the first of them is told: the highest score comes first.
constexpr std::uint32_t kRankedAtOnce = 64;
constexpr const char* kPassageWhat = "a passage of a query";
// Occurrences of a passage are held until it is known how many there are; beyond this, or a quarter of the memory that is
// left, they are compared a second time.
constexpr std::uint64_t kHeldBytes = std::uint64_t{16} << 20;

double share_of(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// Whether who is told `run` need not be told `other`: it adds nothing in the document, and hardly anything in the query.
bool tells(const SharedRun& run, const SharedRun& other) {
  const bool adds_nothing = run.place.first <= other.place.first && run.place.last >= other.place.last;
  return run.holds(other) ||
         (adds_nothing && blot::nearly_same(run.query.first, run.query.last, other.query.first, other.query.last));
}

class RecordQuery {
 public:
  RecordQuery(Snapshot& snapshot, const AskedRecord& asked, const QueryOptions& options, const ExcludedTexts& excluded,
              const Context& context, MemoryBudget& budget, PassageSink& sink)
      : snapshot_(snapshot),
        asked_(asked),
        options_(options),
        context_(context),
        sink_(sink),
        budget_(budget),
        heavy_(options.limits.edits == Edits::heavy),
        commit_(checksum(snapshot.identity())),
        min_tokens_(least_tokens(snapshot.layout(), options.limits)),
        query_(snapshot.layout(), asked.text, heavy_, budget_),
        chainer_(budget_, chain_rules(snapshot.layout(), options.limits)),
        furthest_(budget_, "the chains of a query"),
        excluded_(excluded),
        place_comparer_(snapshot.layout(), options.limits),
        passage_room_(budget.reserve(0, kPassageWhat)) {}

  QueryReport run();

 private:
  // A run of a chain that is to be told.
  struct Found {
    std::uint32_t chain = 0;
    SharedRun run;
  };
  // Runs that are nearly the same in the query as the first, the longest; together they cover `query`.
  struct FoundPassage {
    TokenRange query;
    std::vector<Found> places;
    std::uint64_t unverified = 0;
  };
  // A place that was compared in full.
  struct Told {
    Found found;
    std::optional<Occurrence> occurrence;  // none: it did not fit, and is made again
  };
  // A passage that is to be told.
  struct ComparedPassage {
    PassageHead head;
    TokenRange query;
    std::vector<Told> places;
  };

  std::uint64_t query_hash() const;
  void note_furthest();

  void tell_candidates(const std::optional<QueryCursor>& cursor);
  std::vector<FoundPassage> passages_of(std::span<const blot::Candidate> candidates);
  const std::vector<SharedRun>& compared(std::uint32_t chain);
  bool is_excluded(const SharedRun& run) const;
  bool told_by_another(const Found& found);
  bool ranks_before(std::uint32_t a, std::uint32_t b);
  bool is_left_out(std::uint32_t chain);
  std::uint32_t chains_compared(const blot::Candidate& candidate) const;
  void set_passage(const TokenRange& query);
  std::vector<ComparedPassage> ranked(std::span<FoundPassage> found, Reservation& held);
  std::optional<ComparedPassage> compare_passage(FoundPassage& passage, Reservation& held);
  void tell_passage(ComparedPassage& passage);
  std::optional<ComparedPlace> compare_place(const Found& found);
  void note_changed(DocId document, const Error& error);

  Snapshot& snapshot_;
  const AskedRecord& asked_;
  const QueryOptions& options_;
  const Context& context_;
  PassageSink& sink_;
  MemoryBudget& budget_;
  bool heavy_;
  std::uint64_t commit_;
  std::uint64_t min_tokens_;
  QueryText query_;
  blot::Chainer chainer_;
  // By chain: the last block of it and of those before it in its document, which come by rising first block.
  Array<std::uint64_t> furthest_;
  std::optional<Rarity> rarity_;
  std::optional<blot::RankedCandidates> candidates_;
  const ExcludedTexts& excluded_;
  std::optional<Comparisons> comparisons_;
  PlaceComparer place_comparer_;
  Reservation passage_room_;
  std::vector<DocId> changed_;  // rising
  QueryReport report_;
};

QueryReport RecordQuery::run() {
  report_.tokens = query_.tokens();
  std::optional<QueryCursor> cursor;
  if (!options_.cursor.empty()) cursor = decode_cursor(options_.cursor, query_hash(), commit_);
  HitRules rules{.own = std::nullopt, .wanted = asked_.wanted, .max_documents = options_.limits.max_documents};
  if (asked_.own) rules.own = blocks_of_document(snapshot_, *asked_.own);
  rarity_.emplace(find_chains(snapshot_, query_, rules, context_, budget_, chainer_));
  report_.candidates = chainer_.chains().size();
  note_furthest();
  comparisons_.emplace(snapshot_, query_, chainer_.chains(), chainer_.hits(), options_.limits, budget_);
  candidates_.emplace(blot::group_chains(
      chainer_.chains(), [&](std::uint32_t begin, std::uint32_t end) { return rarity_->sum(begin, end); }, budget_));
  tell_candidates(cursor);
  report_.changed_documents = changed_.size();
  return std::move(report_);
}

std::uint64_t RecordQuery::query_hash() const {
  std::string asked;
  const auto number = [&](std::uint64_t value) { asked.append(std::to_string(value)).push_back(' '); };
  const auto text = [&](std::string_view value) {
    number(value.size());
    number(checksum(value));
  };
  number(asked_.own ? 1 : 0);
  text(asked_.id);
  text(asked_.text);
  number(asked_.wanted ? 1 : 0);
  for (const blot::DocumentBlocks& blocks : asked_.wanted.value_or(WantedBlocks())) {
    number(blocks.begin);
    number(blocks.end);
  }
  const PassageLimits& limits = options_.limits;
  const blot::FinderRules finder = finder_rules(limits);
  for (const std::uint64_t value :
       {static_cast<std::uint64_t>(limits.edits), static_cast<std::uint64_t>(limits.noise * 1e6), min_tokens_,
        std::uint64_t{finder.min_tokens}, std::uint64_t{finder.max_gap}, limits.max_documents, options_.max_occurrences,
        excluded_.hash()})
    number(value);
  return checksum(asked);
}

void RecordQuery::note_furthest() {
  const std::span<const blot::Chain> chains = chainer_.chains();
  furthest_.resize(chains.size());
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const bool goes_on = i > 0 && chains[i - 1].document == chains[i].document;
    furthest_[i] = std::max(chains[i].last_block, goes_on ? furthest_[i - 1] : 0);
  }
}

void RecordQuery::tell_candidates(const std::optional<QueryCursor>& cursor) {
  const Array<blot::Candidate>& candidates = candidates_->candidates;
  std::size_t at = 0;
  std::uint32_t told = 0;  // passages of these candidates, by the page before
  if (cursor) {
    blot::Candidate last = cursor->last;
    last.worth = rarity_->sum(last.begin, last.end);
    const blot::Candidate* first =
        std::partition_point(candidates.begin(), candidates.end(),
                             [&](const blot::Candidate& candidate) { return blot::better(candidate, last); });
    at = static_cast<std::size_t>(first - candidates.begin());
    if (at < candidates.size() && !blot::better(last, candidates[at])) {
      if (cursor->told == QueryCursor::kAllTold)
        ++at;
      else
        told = cursor->told;
    }
  }
  const std::uint64_t limit = options_.limit == 0 ? std::numeric_limits<std::uint64_t>::max() : options_.limit;
  const std::uint64_t work =
      options_.limit == 0 ? limit : std::max(kComparedAPage, options_.limit * options_.max_occurrences);
  Progress progress(context_, "compare", "candidates", candidates.size() - at);
  for (std::size_t end = at; at < candidates.size(); at = end, told = 0) {
    if (at > 0 && report_.compared > 0 && (report_.passages >= limit || report_.compared >= work)) {
      report_.cursor = encode_cursor({query_hash(), commit_, candidates[at - 1], QueryCursor::kAllTold});
      break;
    }
    end = std::min(at + kCandidatesAtOnce, candidates.size());
    std::vector<FoundPassage> found = passages_of({candidates.data() + at, end - at});
    for (std::uint32_t first = told - told % kRankedAtOnce; first < found.size(); first += kRankedAtOnce) {
      Reservation held = budget_.reserve(0, kPassageWhat);
      std::vector<ComparedPassage> passages =
          ranked(std::span(found).subspan(first, std::min<std::size_t>(kRankedAtOnce, found.size() - first)), held);
      for (std::uint32_t i = told - std::min(told, first); i < passages.size(); ++i) {
        if (report_.passages >= limit) {
          report_.cursor = encode_cursor({query_hash(), commit_, candidates[at], first + i});
          return;
        }
        tell_passage(passages[i]);
        ++report_.passages;
      }
      told = 0;
    }
    progress.add(end - at);
  }
  progress.finish();
}

std::uint32_t RecordQuery::chains_compared(const blot::Candidate& candidate) const {
  const std::uint64_t most = options_.max_occurrences;
  return most == 0 ? candidate.chains : static_cast<std::uint32_t>(std::min<std::uint64_t>(most, candidate.chains));
}

// What the chains of some candidates come to; those that are nearly the same are one passage, the longest come first.
std::vector<RecordQuery::FoundPassage> RecordQuery::passages_of(std::span<const blot::Candidate> candidates) {
  std::vector<Found> all;
  for (const blot::Candidate& candidate : candidates)
    for (std::uint32_t i = 0; i < chains_compared(candidate); ++i) {
      const std::uint32_t chain = candidates_->members[candidate.first + i];
      const std::vector<SharedRun> runs = compared(chain);
      for (const SharedRun& run : runs)
        if (const Found found{chain, run}; !is_excluded(run) && !told_by_another(found)) all.push_back(found);
    }
  std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
    const auto key = [](const Found& found) {
      return std::tuple(std::numeric_limits<std::uint64_t>::max() - found.run.query.size(), found.run.query.first,
                        found.chain, found.run.place.first);
    };
    return key(a) < key(b);
  });
  std::vector<FoundPassage> passages;
  std::vector<TokenRange> firsts;
  for (const Found& found : all) {
    const TokenRange& query = found.run.query;
    const auto alike = std::find_if(firsts.begin(), firsts.end(), [&](const TokenRange& first) {
      return blot::nearly_same(first.first, first.last, query.first, query.last);
    });
    if (alike == firsts.end()) {
      firsts.push_back(query);
      passages.push_back({query, {found}, 0});
      continue;
    }
    FoundPassage& passage = passages[static_cast<std::size_t>(alike - firsts.begin())];
    passage.query = {std::min(passage.query.first, query.first), std::max(passage.query.last, query.last)};
    passage.places.push_back(found);
  }
  // What nobody compared is told with the first passage that a chain of its candidate is a place of.
  for (const blot::Candidate& candidate : candidates) {
    const std::uint32_t left = candidate.chains - chains_compared(candidate);
    const auto is_of = [&](const FoundPassage& passage) {
      return std::any_of(passage.places.begin(), passage.places.end(), [&](const Found& found) {
        return &candidates_->candidates[chainer_.chains()[found.chain].candidate] == &candidate;
      });
    };
    const auto passage = left == 0 ? passages.end() : std::find_if(passages.begin(), passages.end(), is_of);
    if (passage != passages.end()) passage->unverified += left;
  }
  return passages;
}

const std::vector<SharedRun>& RecordQuery::compared(std::uint32_t chain) {
  try {
    const std::vector<SharedRun>& runs = comparisons_->runs(chain);
    report_.compared = comparisons_->compared();
    return runs;
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) throw;
    report_.compared = comparisons_->compared();
    note_changed(chainer_.chains()[chain].document, error);
    return comparisons_->runs(chain);
  }
}

// By what the one document shares, so that it does not matter which others share about the same.
bool RecordQuery::is_excluded(const SharedRun& run) const {
  return !excluded_.empty() && excluded_.hold(query_.hashes().subspan(run.query.first, run.query.size()));
}

// Of chains of one document: the longer one, whatever other documents hold.
bool RecordQuery::ranks_before(std::uint32_t a, std::uint32_t b) {
  const blot::Chain& x = chainer_.chains()[a];
  const blot::Chain& y = chainer_.chains()[b];
  if (x.length() != y.length()) return x.length() > y.length();
  return x.hits != y.hits ? x.hits > y.hits : a < b;
}

// Whether its candidate has better ones, as many as are compared.
bool RecordQuery::is_left_out(std::uint32_t chain) {
  const blot::Candidate& candidate = candidates_->candidates[chainer_.chains()[chain].candidate];
  const std::uint32_t most = chains_compared(candidate);
  if (most == candidate.chains) return false;
  const std::uint32_t* const first = candidates_->members.begin() + candidate.first;
  return std::find(first, first + most, chain) == first + most;
}

// Whether another run of the same document tells the same place, or more. Of those that tell the same, the one of the first
// chain stays.
bool RecordQuery::told_by_another(const Found& found) {
  const auto is_told = [&](const SharedRun& other, bool comes_first) {
    return tells(other, found.run) && (comes_first || !tells(found.run, other));
  };
  bool comes_first = true;
  for (const SharedRun& run : compared(found.chain)) {
    if (run == found.run)
      comes_first = false;
    else if (is_told(run, comes_first))
      return true;
  }
  const std::span<const blot::Chain> chains = chainer_.chains();
  const DocId document = chains[found.chain].document;
  const std::uint64_t first_block = snapshot_.first_block(document);
  const std::uint64_t begin = first_block + found.run.place.first / blot::kBlockTokens;
  const std::uint64_t end = first_block + blot::blocks_of(found.run.place.last);
  const auto of_document = std::partition_point(chains.begin(), chains.begin() + found.chain,
                                                [&](const blot::Chain& chain) { return chain.document < document; });
  const std::uint64_t* const reaching =
      std::lower_bound(furthest_.begin() + (of_document - chains.begin()), furthest_.begin() + found.chain, begin);
  for (auto other = static_cast<std::size_t>(reaching - furthest_.begin()); other < chains.size(); ++other) {
    const blot::Chain& chain = chains[other];
    if (chain.document != document || chain.first_block >= end) break;
    const auto number = static_cast<std::uint32_t>(other);
    if (chain.begin >= found.run.query.last || chain.end <= found.run.query.first) continue;
    if (number == found.chain || chain.last_block < begin || is_left_out(number)) continue;
    const bool is_before = ranks_before(number, found.chain);
    const std::vector<SharedRun>& runs = compared(number);
    if (std::any_of(runs.begin(), runs.end(), [&](const SharedRun& run) { return is_told(run, is_before); }))
      return true;
  }
  return false;
}

// What places are compared with from here on.
void RecordQuery::set_passage(const TokenRange& query) {
  const auto first = static_cast<std::uint32_t>(query.first);
  const auto last = static_cast<std::uint32_t>(query.last);
  const TextPiece piece = query_.piece(first, last);
  passage_room_.resize(PlaceComparer::memory_bytes(last - first, piece.text.size()), kPassageWhat);
  place_comparer_.set_passage(piece, {first, last});
}

// Those that are to be told, by their scores.
std::vector<RecordQuery::ComparedPassage> RecordQuery::ranked(std::span<FoundPassage> found, Reservation& held) {
  std::vector<ComparedPassage> passages;
  for (FoundPassage& one : found)
    if (std::optional<ComparedPassage> passage = compare_passage(one, held)) passages.push_back(std::move(*passage));
  std::stable_sort(passages.begin(), passages.end(),
                   [](const ComparedPassage& a, const ComparedPassage& b) { return a.head.score > b.head.score; });
  return passages;
}

// None where there is nothing to tell. Texts are kept as far as there is room for those of all passages.
std::optional<RecordQuery::ComparedPassage> RecordQuery::compare_passage(FoundPassage& passage, Reservation& held) {
  const auto first = static_cast<std::uint32_t>(passage.query.first);
  const auto last = static_cast<std::uint32_t>(passage.query.last);
  set_passage(passage.query);
  const std::span<const blot::Chain> chains = chainer_.chains();
  std::sort(passage.places.begin(), passage.places.end(), [&](const Found& a, const Found& b) {
    const auto key = [&](const Found& found) {
      return std::tuple(chains[found.chain].document, found.run.place.first, ~found.run.place.last, found.chain);
    };
    return key(a) < key(b);
  });

  ComparedPassage compared;
  compared.query = passage.query;
  PassageHead& head = compared.head;
  const std::uint64_t most_held = std::min(kHeldBytes, held.bytes() + budget_.available() / 4);
  std::optional<DocId> document;
  for (const Found& found : passage.places) {
    if (options_.max_occurrences != 0 && compared.places.size() == options_.max_occurrences) {
      ++passage.unverified;
      continue;
    }
    std::optional<ComparedPlace> place = compare_place(found);
    if (!place) continue;
    if (document != chains[found.chain].document) ++head.documents;
    document = chains[found.chain].document;
    head.similarity += place->occurrence.similarity;
    head.score = std::max(head.score, place->occurrence.score);
    compared.places.push_back({found, std::nullopt});
    const std::uint64_t with_this = held.bytes() + place->occurrence.text.size();
    if (with_this <= most_held) {
      held.resize(with_this, kPassageWhat);
      compared.places.back().occurrence = std::move(place->occurrence);
    }
  }
  if (compared.places.empty()) return std::nullopt;
  head.similarity /= static_cast<double>(compared.places.size());
  head.length = last - first;
  head.unverified = passage.unverified;
  head.query = asked_.id;
  head.bytes = query_.bytes(first, last);
  return compared;
}

void RecordQuery::tell_passage(ComparedPassage& passage) {
  const TextPiece text =
      query_.piece(static_cast<std::uint32_t>(passage.query.first), static_cast<std::uint32_t>(passage.query.last));
  const Reservation room = budget_.reserve(text.text.size(), kPassageWhat);
  passage.head.text = text.text;
  sink_.begin(passage.head);
  bool is_set = false;
  for (Told& one : passage.places) {
    if (!one.occurrence) {
      if (!std::exchange(is_set, true)) set_passage(passage.query);
      std::optional<ComparedPlace> place = compare_place(one.found);
      if (!place) continue;  // it changed just now
      one.occurrence = std::move(place->occurrence);
    }
    sink_.occurrence(*one.occurrence);
    one.occurrence.reset();
    ++report_.occurrences;
  }
  sink_.end();
  passage.head.text = {};
}

// Nothing where too few tokens agree, or the document's file has changed.
std::optional<ComparedPlace> RecordQuery::compare_place(const Found& found) {
  const DocId document = chainer_.chains()[found.chain].document;
  try {
    const Snapshot::Piece piece = snapshot_.piece(document, found.run.place.first, found.run.place.last);
    const Reservation room = budget_.reserve(
        PlaceComparer::memory_bytes(found.run.place.size(), piece.text.size(), found.run.loose), kPassageWhat);
    const TextPiece text{piece.text, piece.begin, piece.first_token};
    ComparedPlace place = found.run.loose ? place_comparer_.compare_loosely(text, found.run.place, found.run.query)
                                          : place_comparer_.compare(text, found.run.place, found.run.query);
    if (place.matches < min_tokens_) return std::nullopt;
    // Of what agrees here, whatever else the passage holds: the same in every answer.
    place.occurrence.similarity =
        share_of(place.matches, std::max<std::uint64_t>(place.passage.size(), place.place.size()));
    place.occurrence.query_share = share_of(place.passage.size(), query_.tokens());
    place.occurrence.document_share = share_of(place.place.size(), snapshot_.tokens(document));
    place.occurrence.score = place_comparer_.score(place, rarity_->tokens(), Rarity::kWhole);
    place.occurrence.id = snapshot_.id(document);
    return place;
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) throw;
    note_changed(document, error);
    return std::nullopt;
  }
}

void RecordQuery::note_changed(DocId document, const Error& error) {
  const auto at = std::lower_bound(changed_.begin(), changed_.end(), document);
  if (at != changed_.end() && *at == document) return;
  changed_.insert(at, document);
  if (report_.changed.size() < kChangedNamed) report_.changed.push_back({snapshot_.id(document), error.what()});
}

}  // namespace

QueryReport query_record(Snapshot& snapshot, const AskedRecord& asked, const QueryOptions& options,
                         const ExcludedTexts& excluded, const Context& context, MemoryBudget& budget,
                         PassageSink& sink) {
  return RecordQuery(snapshot, asked, options, excluded, context, budget, sink).run();
}

}  // namespace refrain::verbs::index
