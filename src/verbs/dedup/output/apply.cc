// dedup: writes the input again, without what was removed or with fields that describe the decisions.
#include <string>

#include "verbs/dedup/against/against.h"
#include "verbs/dedup/output/output.h"
#include "verbs/dedup/state/compared_texts.h"
#include "verbs/dedup/state/facts.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/second_reading.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

void dedup_apply(DedupRun& run) {
  SecondReading reading(run);
  const corpus::RewriteReport report =
      reading.write("clean", [&](DocId document, const corpus::DigestedText& text) -> corpus::TextCuts {
        const Decision& decision = reading.at(document, text.digest);
        return {.ranges = reading.spans(), .offset = 0, .drop = !decision.kept()};
      });
  run.report.written_bytes = report.written_bytes;
}

void dedup_annotate(DedupRun& run) {
  const Array<DocId> clusters = run::load_column<DocId>(run.dir.work("clusters"), run.budget, "the clusters");
  Array<std::uint64_t> sizes(run.budget, "the clusters", clusters.size());
  for (const DocId cluster : clusters) ++sizes[cluster];

  AgainstView against(run);
  SecondReading reading(run);
  Decision decision;
  MatchIds ids(run);
  std::string match;
  corpus::Annotations annotations;
  annotations.names = {"dup_cluster_id", "dup_cluster_size", "dup_keep", "dup_reason",
                       "dup_match",      "dup_similarity",   "dup_lost", "dup_longest_lost"};
  annotations.types = {corpus::AddedType::integer, corpus::AddedType::integer, corpus::AddedType::boolean,
                       corpus::AddedType::text,    corpus::AddedType::text,    corpus::AddedType::real,
                       corpus::AddedType::integer, corpus::AddedType::integer};
  annotations.values = [&](DocId document, std::span<corpus::AddedValue> values) {
    const auto reason = static_cast<Reason>(decision.reason);
    const std::uint64_t size = sizes[clusters[document]];
    if (size > 1) values[0] = static_cast<std::int64_t>(clusters[document]);
    values[1] = static_cast<std::int64_t>(size);
    values[2] = reason == Reason::none;
    const bool own_text = reason == Reason::none && decision.own_text != 0;
    if (reason == Reason::none && !own_text) return;
    values[3] = own_text ? std::string_view("own_text") : reason_name(reason);
    if (reason == Reason::substring || reason == Reason::overridden) return;
    match = reason == Reason::against ? against.id(decision.match) : ids.get(decision.match);
    values[4] = std::string_view(match);
    values[5] = decision.similarity;
    if (reason != Reason::near && !own_text) return;
    values[6] = static_cast<std::int64_t>(decision.loss.tokens);
    values[7] = static_cast<std::int64_t>(decision.loss.longest);
  };
  const auto look = [&](DocId document, const corpus::DigestedText& text) {
    decision = reading.at(document, text.digest);
    return corpus::TextCuts{};
  };
  reading.write("annotated", look, annotations);
}

}  // namespace refrain::verbs::dedup
