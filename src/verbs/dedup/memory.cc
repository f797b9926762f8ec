// dedup of documents in memory: runs the deciding stages without a folder and returns the decisions as rows.
#include "verbs/dedup/memory.h"

#include <vector>

#include "engines/sketch/written.h"
#include "verbs/dedup/against/against.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

void list_decisions(DedupRun& run, DedupResult& result) {
  const Array<DocId> clusters = run::load_column<DocId>(run.dir.work("clusters"), run.budget, "the clusters");
  run::ColumnReader<DocState> states(run.dir.work("states"));
  run::ColumnReader<std::uint64_t> text_ends(run.dir.work("text_ends"));
  AgainstView against(run);
  DedupOutcome outcome(run);
  result.decisions.resize(clusters.size());
  DocState state{};
  Decision decision;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t kept_bytes = 0;
  std::vector<ByteRange> spans;
  for (DocId document = 0; states.next(state) && text_ends.next(end) && outcome.next(decision, spans); ++document) {
    DedupDecision& row = result.decisions[document];
    if (clusters[document] != document) row.cluster = result.decisions[clusters[document]].cluster = clusters[document];
    row.reason = static_cast<Reason>(decision.reason);
    row.keep = row.reason == Reason::none && state != DocState::bad;
    if (row.keep || row.reason == Reason::substring) row.spans = spans;
    if (row.keep) {
      kept_bytes += end - begin;
      for (const ByteRange& span : spans) kept_bytes -= span.end - span.begin;
    } else if (row.reason == Reason::against) {
      row.spans = against.spans(document);
    }
    if ((row.reason != Reason::none && row.reason != Reason::substring && row.reason != Reason::overridden) ||
        decision.own_text != 0) {
      row.own_text = row.keep && decision.own_text != 0;
      row.match = decision.match;
      row.similarity = decision.similarity;
      row.lost = decision.loss.tokens;
      row.longest_lost = decision.loss.longest;
      row.as_written = decision.loss.written;
      if (row.reason == Reason::near) row.differs_in = sketch::detail_names(decision.loss.details);
    }
    begin = end;
  }
  run.report.kept_bytes = kept_bytes;
  result.report = run.report;
}

}  // namespace refrain::verbs::dedup
