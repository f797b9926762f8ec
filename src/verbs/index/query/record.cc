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
#include "base/hash.h"
#include "base/progress.h"
#include "engines/blot/chains.h"
#include "engines/blot/finder.h"
#include "engines/blot/format.h"
#include "refrain/error.h"
#include "verbs/index/query/compare.h"
#include "verbs/index/query/hits.h"
#include "verbs/index/query/query_workers.h"
#include "verbs/index/query/runs.h"
#include "verbs/index/query/text.h"
#include "verbs/index/read/occurrence.h"

namespace refrain::verbs::index {
namespace {

// A page ends after this many chains have been compared, or `limit` times `max_occurrences` if that is more, even if
// it has no passages yet. The next page continues from there.
constexpr std::uint64_t kComparedAPage = 1000;
// Candidates differ in where their blots are, passages in where their tokens are. This many candidates are compared
// together, best first, so that nearly the same stretch of the query is not reported repeatedly.
constexpr std::size_t kCandidatesAtOnce = 64;
// This many passages are compared with all of their places before the first is reported: the highest score comes first.
constexpr std::uint32_t kRankedAtOnce = 64;
constexpr const char* kPassageWhat = "a passage of a query";
// Occurrences of a passage are held until their number is known. Beyond this size, or if one takes more than a
// quarter of the remaining memory, they are compared a second time instead.
constexpr std::uint64_t kWaitingBytes = std::uint64_t{16} << 20;

double share_of(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

class RecordQuery {
 public:
  RecordQuery(Snapshot& snapshot, const AskedRecord& asked, const QueryOptions& options, const ExcludedTexts& excluded,
              const Context& context, MemoryBudget& budget, IdleThreads& idle, PassageSink& sink)
      : snapshot_(snapshot),
        workers_(snapshot, idle),
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
        workspace_(snapshot, options.limits, budget) {}

  QueryReport run();

 private:
  // A run of a chain that is to be reported.
  struct Found {
    std::uint32_t chain = 0;
    SharedRun run;
  };
  // Runs that cover nearly the same tokens of the query as the first and longest one. Together they cover `query`.
  struct Passage {
    TokenRange query;
    std::vector<Found> places;
    PassageHead head = {};
    // Of each place, once it was compared in full; nullopt: it did not fit, and is made again.
    std::vector<std::optional<Occurrence>> occurrences = {};
  };
  // The state that a worker needs to compare places.
  struct Workspace {
    Workspace(Snapshot& of, const PassageLimits& limits, MemoryBudget& budget)
        : snapshot(of), comparer(of.layout(), limits), passage_room(budget.reserve(0, kPassageWhat)) {}
    Snapshot& snapshot;
    PlaceComparer comparer;
    Reservation passage_room;
  };

  std::uint64_t query_hash() const;
  void report_candidates(const std::optional<QueryCursor>& cursor);
  std::vector<Passage> passages_of(std::span<const blot::Candidate> candidates);
  bool is_left_out(std::uint32_t chain);
  std::uint32_t chains_compared(const blot::Candidate& candidate) const;
  void set_passage(Workspace& workspace, const TokenRange& query);
  std::vector<Passage> ranked(std::span<Passage> found, Reservation& waiting);
  std::optional<Passage> compare_passage(Workspace& workspace, Passage& found, Reservation& waiting);
  bool may_wait(const Occurrence& occurrence, Reservation& waiting);
  void report_passage(Passage& passage);
  std::optional<ComparedPlace> compare_place(Workspace& workspace, const Found& found);

  Snapshot& snapshot_;
  QueryWorkers workers_;
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
  Workspace workspace_;  // of the calling thread
  std::mutex mutex_;     // guards what waits and what has changed, while workers compare
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
  report_candidates(cursor);
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

void RecordQuery::report_candidates(const std::optional<QueryCursor>& cursor) {
  const Array<blot::Candidate>& candidates = candidates_->candidates;
  std::size_t at = 0;
  std::uint32_t reported = 0;  // passages of these candidates that the previous page reported
  if (cursor) {
    blot::Candidate last = cursor->last;
    last.worth = runs_.rarity().sum(last.begin, last.end);
    const blot::Candidate* first =
        std::partition_point(candidates.begin(), candidates.end(),
                             [&](const blot::Candidate& candidate) { return blot::better(candidate, last); });
    at = static_cast<std::size_t>(first - candidates.begin());
    if (at < candidates.size() && !blot::better(last, candidates[at])) {
      if (cursor->reported == QueryCursor::kAllReported)
        ++at;
      else
        reported = cursor->reported;
    }
  }
  const std::uint64_t limit = options_.limit == 0 ? std::numeric_limits<std::uint64_t>::max() : options_.limit;
  const std::uint64_t work =
      options_.limit == 0 ? limit : std::max(kComparedAPage, options_.limit * options_.max_occurrences);
  Progress progress(context_, "compare", "candidates", candidates.size() - at);
  for (std::size_t end = at; at < candidates.size(); at = end, reported = 0) {
    if (at > 0 && runs_.compared() > 0 && (report_.passages >= limit || runs_.compared() >= work)) {
      report_.cursor = encode_cursor({query_hash(), commit_, candidates[at - 1], QueryCursor::kAllReported});
      break;
    }
    end = std::min(at + kCandidatesAtOnce, candidates.size());
    std::vector<Passage> found = passages_of({candidates.data() + at, end - at});
    for (std::uint32_t first = reported - reported % kRankedAtOnce; first < found.size(); first += kRankedAtOnce) {
      Reservation waiting = budget_.reserve(0, kPassageWhat);  // texts that wait to be reported
      std::vector<Passage> passages =
          ranked(std::span(found).subspan(first, std::min<std::size_t>(kRankedAtOnce, found.size() - first)), waiting);
      for (std::uint32_t i = reported - std::min(reported, first); i < passages.size(); ++i) {
        if (report_.passages >= limit) {
          report_.cursor = encode_cursor({query_hash(), commit_, candidates[at], first + i});
          return;
        }
        report_passage(passages[i]);
        ++report_.passages;
      }
      reported = 0;
    }
    progress.add(end - at);
  }
  progress.finish();
}

std::uint32_t RecordQuery::chains_compared(const blot::Candidate& candidate) const {
  const std::uint64_t most = options_.max_occurrences;
  return most == 0 ? candidate.chains : static_cast<std::uint32_t>(std::min<std::uint64_t>(most, candidate.chains));
}

// The passages that the chains of some candidates lead to, the longest first. Runs that are nearly the same are one
// passage.
std::vector<RecordQuery::Passage> RecordQuery::passages_of(std::span<const blot::Candidate> candidates) {
  std::vector<std::uint32_t> chains;
  for (const blot::Candidate& candidate : candidates) {
    const std::uint32_t* const first = candidates_->members.begin() + candidate.first;
    chains.insert(chains.end(), first, first + chains_compared(candidate));
  }
  runs_.compare_ahead(chains, workers_);
  std::vector<Found> all;
  for (const std::uint32_t chain : chains)
    for (const SharedRun& run : runs_.reported(chain, [&](std::uint32_t other) { return is_left_out(other); }))
      all.push_back({chain, run});
  std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
    const auto key = [](const Found& found) {
      return std::tuple(std::numeric_limits<std::uint64_t>::max() - found.run.query.size(), found.run.query.first,
                        found.chain, found.run.place.first);
    };
    return key(a) < key(b);
  });
  std::vector<Passage> passages;
  std::vector<TokenRange> firsts;
  for (const Found& found : all) {
    const TokenRange& query = found.run.query;
    const auto alike = std::find_if(firsts.begin(), firsts.end(), [&](const TokenRange& first) {
      return blot::nearly_same(first.first, first.last, query.first, query.last);
    });
    if (alike == firsts.end()) {
      firsts.push_back(query);
      passages.push_back({query, {found}});
      continue;
    }
    Passage& passage = passages[static_cast<std::size_t>(alike - firsts.begin())];
    passage.query = {std::min(passage.query.first, query.first), std::max(passage.query.last, query.last)};
    passage.places.push_back(found);
  }
  // Chains that were not compared are counted with the first passage that has a place of the same candidate.
  for (const blot::Candidate& candidate : candidates) {
    const std::uint32_t left = candidate.chains - chains_compared(candidate);
    const auto is_of = [&](const Passage& passage) {
      return std::any_of(passage.places.begin(), passage.places.end(), [&](const Found& found) {
        return &candidates_->candidates[runs_.chains()[found.chain].candidate] == &candidate;
      });
    };
    const auto passage = left == 0 ? passages.end() : std::find_if(passages.begin(), passages.end(), is_of);
    if (passage != passages.end())
      passage->head.unverified += left;
    else
      report_.unverified += left;
  }
  return passages;
}

// Whether its candidate has enough better chains, so that this one is not compared.
bool RecordQuery::is_left_out(std::uint32_t chain) {
  const blot::Candidate& candidate = candidates_->candidates[runs_.chains()[chain].candidate];
  const std::uint32_t most = chains_compared(candidate);
  if (most == candidate.chains) return false;
  const std::uint32_t* const first = candidates_->members.begin() + candidate.first;
  return std::find(first, first + most, chain) == first + most;
}

// Sets the passage that places are compared with from here on.
void RecordQuery::set_passage(Workspace& workspace, const TokenRange& query) {
  const auto first = static_cast<std::uint32_t>(query.first);
  const auto last = static_cast<std::uint32_t>(query.last);
  const TextPiece piece = query_.piece(first, last);
  workspace.passage_room.resize(PlaceComparer::passage_bytes(last - first, piece.text.size()), kPassageWhat);
  workspace.comparer.set_passage(piece, {first, last});
}

// Compares the passages, and returns those that are to be reported, by falling score.
std::vector<RecordQuery::Passage> RecordQuery::ranked(std::span<Passage> found, Reservation& waiting) {
  std::vector<std::optional<Passage>> compared(found.size());
  // By worker. Their memory is released before any passage is reported.
  std::vector<std::optional<Workspace>> others(QueryWorkers::kMostWorkers);
  std::atomic<bool> failed = false;
  workers_.run(found.size(), [&](unsigned worker, Snapshot& snapshot, std::size_t i) {
    try {
      if (failed) return;
      if (worker != 0 && !others[worker]) others[worker].emplace(snapshot, options_.limits, budget_);
      compared[i] = compare_passage(worker == 0 ? workspace_ : *others[worker], found[i], waiting);
    } catch (const Error&) {
      failed = true;
    }
  });
  others.clear();
  if (failed) {
    // Starts over on one thread: if there is enough memory for one, the number of threads must not matter.
    waiting.resize(0, kPassageWhat);
    for (std::optional<Passage>& passage : compared) passage.reset();
    for (std::size_t i = 0; i < found.size(); ++i) compared[i] = compare_passage(workspace_, found[i], waiting);
  }
  std::vector<Passage> passages;
  for (std::optional<Passage>& passage : compared)
    if (passage) passages.push_back(std::move(*passage));
  std::stable_sort(passages.begin(), passages.end(),
                   [](const Passage& a, const Passage& b) { return a.head.score > b.head.score; });
  return passages;
}

// Returns nullopt if there is nothing to report. Texts are kept as long as there is room for those of all passages.
std::optional<RecordQuery::Passage> RecordQuery::compare_passage(Workspace& workspace, Passage& found,
                                                                 Reservation& waiting) {
  set_passage(workspace, found.query);
  const std::span<const blot::Chain> chains = runs_.chains();
  std::sort(found.places.begin(), found.places.end(), [&](const Found& a, const Found& b) {
    const auto key = [&](const Found& place) {
      return std::tuple(chains[place.chain].document, place.run.place.first, ~place.run.place.last, place.chain);
    };
    return key(a) < key(b);
  });

  Passage compared{.query = found.query, .places = {}, .head = found.head};
  PassageHead& head = compared.head;
  std::optional<DocId> document;
  for (const Found& one : found.places) {
    if (options_.max_occurrences != 0 && compared.places.size() == options_.max_occurrences) {
      ++head.unverified;
      continue;
    }
    std::optional<ComparedPlace> place = compare_place(workspace, one);
    if (!place) continue;
    if (document != chains[one.chain].document) ++head.documents;
    document = chains[one.chain].document;
    head.similarity += place->occurrence.similarity;
    head.score = std::max(head.score, place->occurrence.score);
    compared.places.push_back(one);
    std::optional<Occurrence>& waits = compared.occurrences.emplace_back();
    if (may_wait(place->occurrence, waiting)) waits = std::move(place->occurrence);
  }
  if (compared.places.empty()) return std::nullopt;
  const auto first = static_cast<std::uint32_t>(found.query.first);
  const auto last = static_cast<std::uint32_t>(found.query.last);
  head.similarity /= static_cast<double>(compared.places.size());
  head.length = last - first;
  head.query = asked_.id;
  head.bytes = query_.bytes(first, last);
  return compared;
}

// Whether there is room to hold it until it is reported. If so, the room is reserved.
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

void RecordQuery::report_passage(Passage& passage) {
  const TextPiece text =
      query_.piece(static_cast<std::uint32_t>(passage.query.first), static_cast<std::uint32_t>(passage.query.last));
  const Reservation room = budget_.reserve(text.text.size(), kPassageWhat);
  passage.head.text = text.text;
  report_.unverified += passage.head.unverified;
  sink_.begin(passage.head);
  bool is_set = false;
  for (std::size_t i = 0; i < passage.places.size(); ++i) {
    std::optional<Occurrence>& occurrence = passage.occurrences[i];
    if (!occurrence) {
      if (!std::exchange(is_set, true)) set_passage(workspace_, passage.query);
      std::optional<ComparedPlace> place = compare_place(workspace_, passage.places[i]);
      if (!place) continue;  // its document has just changed
      occurrence = std::move(place->occurrence);
    }
    sink_.occurrence(*occurrence);
    occurrence.reset();
    ++report_.occurrences;
  }
  sink_.end();
  passage.head.text = {};
}

// Returns nullopt if too few tokens agree, or if the document's file has changed.
std::optional<ComparedPlace> RecordQuery::compare_place(Workspace& workspace, const Found& found) {
  const DocId document = runs_.chains()[found.chain].document;
  try {
    const Snapshot::Piece piece = workspace.snapshot.piece(document, found.run.place.first, found.run.place.last);
    const Reservation room = budget_.reserve(
        PlaceComparer::place_bytes(found.run.place.size(), piece.text.size(), found.run.loose), kPassageWhat);
    const TextPiece text{piece.text, piece.begin, piece.first_token};
    ComparedPlace place = found.run.loose ? workspace.comparer.compare_loosely(text, found.run.place, found.run.query)
                                          : workspace.comparer.compare(text, found.run.place, found.run.query);
    if (place.matches < min_tokens_) return std::nullopt;
    // Relative to the part that agrees, not to the whole passage, so that it is the same in every answer.
    place.occurrence.similarity =
        share_of(place.matches, std::max<std::uint64_t>(place.passage.size(), place.place.size()));
    place.occurrence.query_share = share_of(place.passage.size(), query_.tokens());
    place.occurrence.document_share = share_of(place.place.size(), workspace.snapshot.tokens(document));
    place.occurrence.score = workspace.comparer.score(place, runs_.rarity().tokens(), Rarity::kWhole);
    place.occurrence.id = workspace.snapshot.id(document);
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
