#include "verbs/dedup/find/find.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/progress.h"
#include "engines/matching/union_find.h"
#include "engines/sketch/written.h"
#include "refrain/error.h"
#include "verbs/dedup/against/against.h"
#include "verbs/dedup/state/known_documents.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/sources.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

MatchMerge::MatchMerge(const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& file : files) {
    Source source{std::make_unique<run::ColumnReader<RankMatch>>(file), {}};
    if (source.reader->next(source.next)) sources_.push_back(std::move(source));
  }
}

bool MatchMerge::next(RankMatch& match) {
  if (sources_.empty()) return false;
  const auto least = std::min_element(sources_.begin(), sources_.end(),
                                      [](const Source& a, const Source& b) { return a.next.pair < b.next.pair; });
  match = least->next;
  if (!least->reader->next(least->next)) sources_.erase(least);
  return true;
}

void decide_kept(DedupRun& run, const Ranks& ranks, MatchMerge& matches, Array<std::uint8_t>& kept,
                 const std::function<void(const RankMatch&)>& seen) {
  const RunOverrides& overrides = run.overrides();
  for (RankMatch match; matches.next(match);) {
    // Pairs are ordered by the later document and then by the earlier, so the first kept match is the best-ranked.
    if (kept[match.pair.later] == 0 || kept[match.pair.earlier] == 0) continue;
    if (overrides.pins(ranks.document(match.pair.later))) continue;
    if (run.covers(match)) kept[match.pair.later] = 0;
    if (seen) seen(match);
  }
}

void dedup_cluster(DedupRun& run) {
  const Ranks ranks = run.ranks();
  const std::uint64_t count = ranks.size();
  matching::UnionFind clusters(run.budget, count);
  run::ColumnReader<DocId> heads(run.dir.work("heads"));
  DocId head = 0;
  for (DocId document = 0; heads.next(head); ++document)
    if (head != document) clusters.unite(head, document);
  run::ColumnReader<RankMatch> matches(run.dir.work("matches"));
  for (RankMatch match; matches.next(match);)
    clusters.unite(ranks.document(match.pair.later), ranks.document(match.pair.earlier));
  // The least document of a cluster represents it.
  Array<std::uint64_t> sizes(run.budget, "the clusters", count);
  for (DocId document = 0; document < count; ++document) ++sizes[clusters.find(document)];
  std::uint64_t number = 0;
  std::uint64_t clustered = 0;
  DocId largest = 0;
  run::RunFile file = run.dir.create_work("clusters");
  std::vector<DocId> held;
  for (DocId document = 0; document < count; ++document) {
    const DocId representative = clusters.find(document);
    held.push_back(representative);
    if (held.size() == 8192 || document + 1 == count) {
      file.write_values(std::span<const DocId>(held));
      held.clear();
    }
    if (representative != document || sizes[document] < 2) continue;
    ++number;
    clustered += sizes[document];
    if (sizes[document] > sizes[largest] || sizes[largest] < 2) largest = document;
  }
  run.dir.close(file);
  DedupReport& report = run.report;
  report.clusters = number;
  report.clustered = clustered;
  if (number == 0) return;
  report.largest_cluster = sizes[largest];
  run::SliceFile(run.dir.work("ids"), run.dir.work("id_ends")).get(largest, report.largest_representative);
}

namespace {

// The number of documents by the longest run of tokens that they lose.
class LongestRuns {
 public:
  void add(const sketch::Loss& loss) {
    ++documents_[loss.longest];
    ++all_;
  }
  // The least length that so many percent of the documents do not exceed.
  std::uint32_t within(std::uint64_t percent) const {
    std::uint32_t length = 0;
    std::uint64_t below = 0;
    for (const auto& [longest, documents] : documents_) {
      if (100 * below < percent * all_) length = longest;
      below += documents;
    }
    return length;
  }

 private:
  std::map<std::uint32_t, std::uint64_t> documents_;
  std::uint64_t all_ = 0;
};

LossReport report_losses(const Array<Decision>& decisions) {
  LossReport report;
  LongestRuns runs;
  for (const Decision& decision : decisions) {
    if (!decision.is(Reason::near)) continue;
    runs.add(decision.loss);
    report.documents += decision.loss.tokens != 0 ? 1 : 0;
    report.tokens += decision.loss.tokens;
    const unsigned details = decision.loss.details;
    report.in_details += details != 0 ? 1 : 0;
    report.in_numbers += (details & sketch::kNumberDetail) != 0 ? 1 : 0;
    report.in_negations += (details & sketch::kNegationDetail) != 0 ? 1 : 0;
    report.in_symbols += (details & sketch::kSymbolDetail) != 0 ? 1 : 0;
  }
  report.median = runs.within(50);
  report.high = runs.within(99);
  report.longest = runs.within(100);
  return report;
}

OwnTextReport report_own_texts(const Array<Decision>& decisions, double threshold) {
  OwnTextReport report;
  LongestRuns runs;
  for (const Decision& decision : decisions) {
    if (decision.own_text == 0) continue;
    if (decision.loss.attachments != 0) {
      ++report.attachments;
    } else if (decision.loss.written < threshold) {
      ++report.symbols;
    } else {
      ++report.loss;
      runs.add(decision.loss);
    }
  }
  report.loss_median = runs.within(50);
  report.loss_longest = runs.within(100);
  return report;
}

}  // namespace

void dedup_decide(DedupRun& run) {
  const Ranks ranks = run.ranks();
  const std::uint64_t count = ranks.size();
  const Array<DocId> heads = run::load_column<DocId>(run.dir.work("heads"), run.budget, "the documents by text");
  Array<Decision> decisions(run.budget, "the decisions", count);
  Array<std::uint8_t> kept(run.budget, "the kept documents", count);
  for (DocId document = 0; document < count; ++document)
    kept[ranks.rank(document)] = heads[document] == document ? 1 : 0;
  const RunOverrides& overrides = run.overrides();
  std::uint64_t removed_by_people = 0;
  for (DocId document = 0; document < count; ++document) {
    if (!overrides.removes(document)) continue;
    decisions[document].reason = static_cast<std::uint32_t>(Reason::overridden);
    kept[ranks.rank(document)] = 0;
    ++removed_by_people;
  }
  std::uint64_t against = 0;
  if (run.against_removes()) {
    // These are removed before all others, so no other document is removed in favor of one of them.
    AgainstReader hits(run);
    for (DocId document = 0; document < count; ++document) {
      const AgainstHit* hit = hits.find(document);
      if (hit == nullptr || overrides.keeps(document) || overrides.removes(document)) continue;
      decisions[document] = {
          .match = hit->item, .similarity = hit->share, .reason = static_cast<std::uint32_t>(Reason::against)};
      kept[ranks.rank(document)] = 0;
      ++against;
    }
  }
  // Known documents rank before all documents of the input.
  KnownReader known(run);
  for (DocId document = 0; document < count; ++document) {
    const KnownHit* hit = known.find(document);
    if (hit == nullptr || hit->kind == KnownHit::gone || kept[ranks.rank(document)] == 0) continue;
    const Reason reason = !hit->removes() ? Reason::none : hit->kind == KnownHit::exact ? Reason::exact : Reason::near;
    decisions[document] = {.match = hit->match,
                           .similarity = hit->similarity,
                           .reason = static_cast<std::uint32_t>(reason),
                           .own_text = hit->removes() ? 0U : 1U,
                           .loss = hit->loss};
    if (hit->removes()) kept[ranks.rank(document)] = 0;
  }
  MatchMerge matches({run.dir.work("matches")});
  decide_kept(run, ranks, matches, kept, [&](const RankMatch& match) {
    Decision& decision = decisions[ranks.document(match.pair.later)];
    const bool removed = run.covers(match);
    // Among kept matches that do not cover the document, keep the one with the least loss.
    if (!removed && decision.own_text != 0 && decision.loss.longest <= match.loss.longest) return;
    decision = {.match = ranks.document(match.pair.earlier),
                .similarity = match.similarity,
                .reason = static_cast<std::uint32_t>(removed ? Reason::near : Reason::none),
                .own_text = removed ? 0U : 1U,
                .loss = match.loss};
  });
  DedupReport& report = run.report;
  for (DocId document = 0; document < count; ++document) {
    const DocId head = heads[document];
    if (head != document) {
      // A copy shares the decision on the first document with its text. If that is kept, the copy is removed in its
      // favor.
      const Decision& of_head = decisions[head];
      decisions[document] =
          of_head.kept() ? Decision{.match = head, .similarity = 1, .reason = static_cast<std::uint32_t>(Reason::exact)}
                         : of_head;
    }
    const Decision& decision = decisions[document];
    report.removed_near += decision.is(Reason::near) ? 1 : 0;
    report.removed_exact += decision.is(Reason::exact) ? 1 : 0;
    report.own_text += decision.own_text;
    report.overrides.kept += overrides.pins(document) && decision.kept() ? 1 : 0;
  }
  report.overrides.removed = removed_by_people;
  run::RunFile file = run.dir.create_work("decided");
  file.write_values(std::span<const Decision>(decisions.data(), decisions.size()));
  run.dir.close(file);
  report.removed_against = against;
  report.loss = report_losses(decisions);
  report.own_text_by = report_own_texts(decisions, run.options.threshold);
  judge_sources(run, DedupOutcome::without_substrings(run));
}

}  // namespace refrain::verbs::dedup
