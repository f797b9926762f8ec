#include "verbs/index/query/record.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
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
#include "verbs/index/query/crew.h"
#include "verbs/index/query/cursor.h"
#include "verbs/index/query/hits.h"
#include "verbs/index/query/rarity.h"
#include "verbs/index/query/runs.h"
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
constexpr std::uint64_t kWaitingBytes = std::uint64_t{16} << 20;

double share_of(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

class RecordQuery {
 public:
  RecordQuery(Snapshot& snapshot, const AskedRecord& asked, const QueryOptions& options, const ExcludedTexts& excluded,
              const Context& context, MemoryBudget& budget, IdleThreads& idle, PassageSink& sink)
      : snapshot_(snapshot),
        crew_(snapshot, idle),
        asked_(asked),
        options_(options),
        context_(context),
        sink_(sink),
        budget_(budget),
        commit_(checksum(snapshot.identity())),
        min_tokens_(least_tokens(snapshot.layout(), options.limits)),
        excluded_(excluded),
        runs_(snapshot, asked.text, options.limits, excluded, budget),
        query_(runs_.query()),
        desk_(snapshot, options.limits, budget) {}

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
  // What a worker of the crew compares with.
  struct Desk {
    Desk(Snapshot& of, const PassageLimits& limits, MemoryBudget& budget)
        : snapshot(of), comparer(of.layout(), limits), passage_room(budget.reserve(0, kPassageWhat)) {}
    Snapshot& snapshot;
    PlaceComparer comparer;
    Reservation passage_room;
  };

  std::uint64_t query_hash() const;
  void tell_candidates(const std::optional<QueryCursor>& cursor);
  std::vector<FoundPassage> passages_of(std::span<const blot::Candidate> candidates);
  bool is_left_out(std::uint32_t chain);
  std::uint32_t chains_compared(const blot::Candidate& candidate) const;
  void set_passage(Desk& desk, const TokenRange& query);
  std::vector<ComparedPassage> ranked(std::span<FoundPassage> found, Reservation& waiting);
  std::optional<ComparedPassage> compare_passage(Desk& desk, FoundPassage& passage, Reservation& waiting);
  bool may_wait(const Occurrence& occurrence, Reservation& waiting);
  void tell_passage(ComparedPassage& passage);
  std::optional<ComparedPlace> compare_place(Desk& desk, const Found& found);

  Snapshot& snapshot_;
  Crew crew_;
  const AskedRecord& asked_;
  const QueryOptions& options_;
  const Context& context_;
  PassageSink& sink_;
  MemoryBudget& budget_;
  std::uint64_t commit_;
  std::uint64_t min_tokens_;
  const ExcludedTexts& excluded_;
  DocumentRuns runs_;
  const QueryText& query_;
  std::optional<blot::RankedCandidates> candidates_;
  Desk desk_;         // of the thread that was asked
  std::mutex mutex_;  // of what waits, and what has changed, while the crew compares
  QueryReport report_;
};

QueryReport RecordQuery::run() {
  report_.tokens = query_.tokens();
  std::optional<QueryCursor> cursor;
  if (!options_.cursor.empty()) cursor = decode_cursor(options_.cursor, query_hash(), commit_);
  HitRules rules{.own = std::nullopt, .wanted = asked_.wanted, .max_documents = options_.limits.max_documents};
  if (asked_.own) rules.own = blocks_of_document(snapshot_, *asked_.own);
  runs_.find(rules, context_);
  report_.candidates = runs_.chains().size();
  candidates_.emplace(blot::group_chains(
      runs_.chains(), [&](std::uint32_t begin, std::uint32_t end) { return runs_.rarity().sum(begin, end); }, budget_));
  tell_candidates(cursor);
  for (const DocumentRuns::Changed& changed : runs_.changed()) {
    if (report_.changed.size() == kChangedNamed) break;
    report_.changed.push_back({snapshot_.id(changed.document), changed.reason});
  }
  report_.compared = runs_.compared();
  report_.changed_documents = runs_.changed().size();
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
  const blot::FinderRules finder = finder_rules(snapshot_.layout(), limits);
  for (const std::uint64_t value :
       {static_cast<std::uint64_t>(limits.edits), static_cast<std::uint64_t>(limits.noise * 1e6), min_tokens_,
        std::uint64_t{finder.min_tokens}, std::uint64_t{finder.max_gap}, limits.max_documents, options_.max_occurrences,
        excluded_.hash()})
    number(value);
  return checksum(asked);
}

void RecordQuery::tell_candidates(const std::optional<QueryCursor>& cursor) {
  const Array<blot::Candidate>& candidates = candidates_->candidates;
  std::size_t at = 0;
  std::uint32_t told = 0;  // passages of these candidates, by the page before
  if (cursor) {
    blot::Candidate last = cursor->last;
    last.worth = runs_.rarity().sum(last.begin, last.end);
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
    if (at > 0 && runs_.compared() > 0 && (report_.passages >= limit || runs_.compared() >= work)) {
      report_.cursor = encode_cursor({query_hash(), commit_, candidates[at - 1], QueryCursor::kAllTold});
      break;
    }
    end = std::min(at + kCandidatesAtOnce, candidates.size());
    std::vector<FoundPassage> found = passages_of({candidates.data() + at, end - at});
    for (std::uint32_t first = told - told % kRankedAtOnce; first < found.size(); first += kRankedAtOnce) {
      Reservation waiting = budget_.reserve(0, kPassageWhat);  // texts that wait to be told
      std::vector<ComparedPassage> passages =
          ranked(std::span(found).subspan(first, std::min<std::size_t>(kRankedAtOnce, found.size() - first)), waiting);
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
  std::vector<std::uint32_t> chains;
  for (const blot::Candidate& candidate : candidates) {
    const std::uint32_t* const first = candidates_->members.begin() + candidate.first;
    chains.insert(chains.end(), first, first + chains_compared(candidate));
  }
  runs_.compare_ahead(chains, crew_);
  std::vector<Found> all;
  for (const std::uint32_t chain : chains)
    for (const SharedRun& run : runs_.told(chain, [&](std::uint32_t other) { return is_left_out(other); }))
      all.push_back({chain, run});
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
        return &candidates_->candidates[runs_.chains()[found.chain].candidate] == &candidate;
      });
    };
    const auto passage = left == 0 ? passages.end() : std::find_if(passages.begin(), passages.end(), is_of);
    if (passage != passages.end()) passage->unverified += left;
  }
  return passages;
}

// Whether its candidate has better ones, as many as are compared.
bool RecordQuery::is_left_out(std::uint32_t chain) {
  const blot::Candidate& candidate = candidates_->candidates[runs_.chains()[chain].candidate];
  const std::uint32_t most = chains_compared(candidate);
  if (most == candidate.chains) return false;
  const std::uint32_t* const first = candidates_->members.begin() + candidate.first;
  return std::find(first, first + most, chain) == first + most;
}

// What places are compared with from here on.
void RecordQuery::set_passage(Desk& desk, const TokenRange& query) {
  const auto first = static_cast<std::uint32_t>(query.first);
  const auto last = static_cast<std::uint32_t>(query.last);
  const TextPiece piece = query_.piece(first, last);
  desk.passage_room.resize(PlaceComparer::passage_bytes(last - first, piece.text.size()), kPassageWhat);
  desk.comparer.set_passage(piece, {first, last});
}

// Those that are to be told, by their scores.
std::vector<RecordQuery::ComparedPassage> RecordQuery::ranked(std::span<FoundPassage> found, Reservation& waiting) {
  std::vector<std::optional<ComparedPassage>> compared(found.size());
  // By worker. What they take is given back before any passage is told.
  std::vector<std::optional<Desk>> others(Crew::kMostWorkers);
  std::atomic<bool> failed = false;
  crew_.run(found.size(), [&](unsigned worker, Snapshot& snapshot, std::size_t i) {
    try {
      if (failed) return;
      if (worker != 0 && !others[worker]) others[worker].emplace(snapshot, options_.limits, budget_);
      compared[i] = compare_passage(worker == 0 ? desk_ : *others[worker], found[i], waiting);
    } catch (const Error&) {
      failed = true;
    }
  });
  others.clear();
  if (failed) {
    // All over again, one after the other: where there is room for that, it does not matter how many there were.
    waiting.resize(0, kPassageWhat);
    for (std::optional<ComparedPassage>& passage : compared) passage.reset();
    for (std::size_t i = 0; i < found.size(); ++i) compared[i] = compare_passage(desk_, found[i], waiting);
  }
  std::vector<ComparedPassage> passages;
  for (std::optional<ComparedPassage>& passage : compared)
    if (passage) passages.push_back(std::move(*passage));
  std::stable_sort(passages.begin(), passages.end(),
                   [](const ComparedPassage& a, const ComparedPassage& b) { return a.head.score > b.head.score; });
  return passages;
}

// None where there is nothing to tell. Texts are kept as far as there is room for those of all passages.
std::optional<RecordQuery::ComparedPassage> RecordQuery::compare_passage(Desk& desk, FoundPassage& passage,
                                                                         Reservation& waiting) {
  const auto first = static_cast<std::uint32_t>(passage.query.first);
  const auto last = static_cast<std::uint32_t>(passage.query.last);
  set_passage(desk, passage.query);
  const std::span<const blot::Chain> chains = runs_.chains();
  std::sort(passage.places.begin(), passage.places.end(), [&](const Found& a, const Found& b) {
    const auto key = [&](const Found& found) {
      return std::tuple(chains[found.chain].document, found.run.place.first, ~found.run.place.last, found.chain);
    };
    return key(a) < key(b);
  });

  ComparedPassage compared;
  compared.query = passage.query;
  PassageHead& head = compared.head;
  head.unverified = passage.unverified;
  std::optional<DocId> document;
  for (const Found& found : passage.places) {
    if (options_.max_occurrences != 0 && compared.places.size() == options_.max_occurrences) {
      ++head.unverified;
      continue;
    }
    std::optional<ComparedPlace> place = compare_place(desk, found);
    if (!place) continue;
    if (document != chains[found.chain].document) ++head.documents;
    document = chains[found.chain].document;
    head.similarity += place->occurrence.similarity;
    head.score = std::max(head.score, place->occurrence.score);
    compared.places.push_back({found, std::nullopt});
    if (may_wait(place->occurrence, waiting)) compared.places.back().occurrence = std::move(place->occurrence);
  }
  if (compared.places.empty()) return std::nullopt;
  head.similarity /= static_cast<double>(compared.places.size());
  head.length = last - first;
  head.query = asked_.id;
  head.bytes = query_.bytes(first, last);
  return compared;
}

// Whether there is room for it until it is told; that is then taken.
bool RecordQuery::may_wait(const Occurrence& occurrence, Reservation& waiting) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t with_this = waiting.bytes() + occurrence.text.size();
  if (with_this > kWaitingBytes || occurrence.text.size() > budget_.available() / 4) return false;
  try {
    waiting.resize(with_this, kPassageWhat);
  } catch (const Error&) {  // another worker was faster
    return false;
  }
  return true;
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
      if (!std::exchange(is_set, true)) set_passage(desk_, passage.query);
      std::optional<ComparedPlace> place = compare_place(desk_, one.found);
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
std::optional<ComparedPlace> RecordQuery::compare_place(Desk& desk, const Found& found) {
  const DocId document = runs_.chains()[found.chain].document;
  try {
    const Snapshot::Piece piece = desk.snapshot.piece(document, found.run.place.first, found.run.place.last);
    const Reservation room = budget_.reserve(
        PlaceComparer::place_bytes(found.run.place.size(), piece.text.size(), found.run.loose), kPassageWhat);
    const TextPiece text{piece.text, piece.begin, piece.first_token};
    ComparedPlace place = found.run.loose ? desk.comparer.compare_loosely(text, found.run.place, found.run.query)
                                          : desk.comparer.compare(text, found.run.place, found.run.query);
    if (place.matches < min_tokens_) return std::nullopt;
    // Of what agrees here, whatever else the passage holds: the same in every answer.
    place.occurrence.similarity =
        share_of(place.matches, std::max<std::uint64_t>(place.passage.size(), place.place.size()));
    place.occurrence.query_share = share_of(place.passage.size(), query_.tokens());
    place.occurrence.document_share = share_of(place.place.size(), desk.snapshot.tokens(document));
    place.occurrence.score = desk.comparer.score(place, runs_.rarity().tokens(), Rarity::kWhole);
    place.occurrence.id = desk.snapshot.id(document);
    return place;
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) throw;
    const std::lock_guard lock(mutex_);
    runs_.note_changed(document, error);
    return std::nullopt;
  }
}

}  // namespace

QueryReport query_record(Snapshot& snapshot, const AskedRecord& asked, const QueryOptions& options,
                         const ExcludedTexts& excluded, const Context& context, MemoryBudget& budget, IdleThreads& idle,
                         PassageSink& sink) {
  return RecordQuery(snapshot, asked, options, excluded, context, budget, idle, sink).run();
}

}  // namespace refrain::verbs::index
