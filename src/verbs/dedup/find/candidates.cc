// dedup: the pairs of documents that meet in the first round.
#include <span>

#include "verbs/dedup/against/reader.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/state/known_documents.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

void mark_nodes(DedupRun& run, const Ranks& ranks, Array<std::uint8_t>& alive) {
  run::ColumnReader<DocId> heads(run.dir.work("heads"));
  run::ColumnReader<DocState> states(run.dir.work("states"));
  DocId head = 0;
  AgainstReader against(run);
  KnownReader known(run);
  DocState state{};
  for (DocId document = 0; heads.next(head) && states.next(state); ++document) {
    const KnownHit* hit = known.find(document);
    const bool gone =
        (run.against_removes() && against.find(document) != nullptr) || (hit != nullptr && hit->removes());
    alive[ranks.rank(document)] = head == document && state == DocState::judged && !gone ? 1 : 0;
  }
}

void dedup_candidates(DedupRun& run) {
  const Ranks ranks = run.ranks();
  run::RunFile out = run.dir.create_work("candidates");
  RoundPlan plan(run.budget, ranks.size());
  if (run.near != nullptr) {
    mark_nodes(run, ranks, plan.alive);
    run.near->find_pairs(run, ranks, plan, {}, out);
  }
  run.dir.close(out);
  run::RunFile crowded = run.dir.create_work("crowded");
  crowded.write_values(std::span<const std::uint8_t>(plan.crowded.data(), plan.crowded.size()));
  run.dir.close(crowded);
}

}  // namespace refrain::verbs::dedup
