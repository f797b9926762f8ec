#include "verbs/dedup/find/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/progress.h"
#include "engines/matching/union_find.h"
#include "refrain/error.h"
#include "verbs/dedup/against/reader.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/sources.h"

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

void decide_kept(MatchMerge& matches, Array<std::uint8_t>& kept, const std::function<void(const RankMatch&)>& removed) {
  for (RankMatch match; matches.next(match);) {
    // Pairs come by the later one, and then by the earlier: the first that is kept is the best-ranked.
    if (kept[match.pair.later] == 0 || kept[match.pair.earlier] == 0) continue;
    kept[match.pair.later] = 0;
    if (removed) removed(match);
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
  // Where a cluster has its least document, that stands for it.
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
  run.dir.facts().put(ClusterFacts{.clusters = number,
                                   .clustered = clustered,
                                   .largest = number == 0 ? 0 : sizes[largest],
                                   .largest_document = largest});
}

void dedup_decide(DedupRun& run) {
  const Ranks ranks = run.ranks();
  const std::uint64_t count = ranks.size();
  const Array<DocId> heads = run::load_column<DocId>(run.dir.work("heads"), run.budget, "the documents by text");
  Array<Decision> decisions(run.budget, "the decisions", count);
  Array<std::uint8_t> kept(run.budget, "the kept documents", count);
  for (DocId document = 0; document < count; ++document)
    kept[ranks.rank(document)] = heads[document] == document ? 1 : 0;
  std::uint64_t against = 0;
  if (run.against_removes()) {
    // Before all others: so none of them is what another document is removed for.
    AgainstReader hits(run);
    for (DocId document = 0; document < count; ++document) {
      const AgainstHit* hit = hits.find(document);
      if (hit == nullptr) continue;
      decisions[document] = {hit->item, hit->share, static_cast<std::uint64_t>(Reason::against)};
      kept[ranks.rank(document)] = 0;
      ++against;
    }
  }
  MatchMerge matches({run.dir.work("matches")});
  decide_kept(matches, kept, [&](const RankMatch& match) {
    decisions[ranks.document(match.pair.later)] = {ranks.document(match.pair.earlier), match.similarity,
                                                   static_cast<std::uint64_t>(Reason::near)};
  });
  std::uint64_t near = 0;
  std::uint64_t exact = 0;
  for (DocId document = 0; document < count; ++document) {
    const DocId head = heads[document];
    if (head != document) {
      // A copy shares the lot of the first of its text, whose match is its own.
      const Decision& of_head = decisions[head];
      const bool kept_head = of_head.reason == static_cast<std::uint64_t>(Reason::none);
      decisions[document] = kept_head ? Decision{head, 1, static_cast<std::uint64_t>(Reason::exact)} : of_head;
    }
    near += decisions[document].reason == static_cast<std::uint64_t>(Reason::near) ? 1 : 0;
    exact += decisions[document].reason == static_cast<std::uint64_t>(Reason::exact) ? 1 : 0;
  }
  run::RunFile file = run.dir.create_work("decided");
  file.write_values(std::span<const Decision>(decisions.data(), decisions.size()));
  run.dir.close(file);
  run.dir.facts().put(DecideFacts{.near = near, .exact = exact, .against = against});
  judge_sources(run, DedupOutcome::without_substrings(run));
}

}  // namespace refrain::verbs::dedup
