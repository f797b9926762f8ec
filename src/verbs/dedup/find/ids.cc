// dedup: counts documents that share the id of another one. No decision depends on ids, but applying the decisions
// to other files by id would pick the wrong documents, so the report mentions them.
#include <algorithm>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/threads.h"
#include "store/shuffle.h"
#include "verbs/dedup/find/find.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

namespace {

struct Named {
  Digest id;
  DocId document;
  friend auto operator<=>(const Named&, const Named&) = default;
};
struct HighOfId {
  std::uint64_t operator()(const Named& named) const { return named.id.high; }
};

constexpr DocId kStretch = 65536;  // documents between two checks of the stop token
constexpr DocId kNone = ~DocId{0};

}  // namespace

void count_shared_ids(DedupRun& run) {
  run::SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
  store::Shuffle<Named, HighOfId> names({.what = "the ids",
                                         .expected_records = static_cast<std::size_t>(run.documents()),
                                         .order_values = true,
                                         .temp = &run.temp,
                                         .memory_bytes = run.budget.available() / 2},
                                        run.budget);
  std::string scratch;
  {
    auto writer = names.writer();
    run::ColumnReader<DocState> states(run.dir.work("states"));
    DocState state{};
    for (DocId document = 0; states.next(state); ++document) {
      if (document % kStretch == 0) throw_if_stopped(run.context);
      if (state != DocState::bad) writer.add({digest(ids.get(document, scratch)), document});
    }
  }
  // Per worker: the number of documents with the id of an earlier one, and the first of them.
  struct Found {
    std::uint64_t count = 0;
    DocId first = kNone;
    Digest last;
  };
  std::vector<Found> found(run.threads);
  names.for_each_run(run.context, [&](unsigned worker, std::size_t /*partition*/, const store::Run<Named>& group) {
    Found& mine = found[worker];
    bool first = group.first;
    for (const Named& named : group.records) {
      if (!first && named.id == mine.last) {
        ++mine.count;
        mine.first = std::min(mine.first, named.document);
      }
      mine.last = named.id;
      first = false;
    }
  });
  Found all;
  for (const Found& some : found) {
    all.count += some.count;
    all.first = std::min(all.first, some.first);
  }
  run.report.shared_ids = all.count;
  if (all.first != kNone) run.report.shared_id = ids.get(all.first, scratch);
}

}  // namespace refrain::verbs::dedup
