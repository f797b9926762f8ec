// dedup: documents that have the id of another one. Nothing is decided by ids, but whoever takes the decisions to other
// files by them would take the wrong document, so it is told.
#include <algorithm>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "pipeline/column.h"
#include "pipeline/dedup_run.h"
#include "pipeline/slice_file.h"
#include "store/shuffle.h"

namespace refrain {

namespace {

struct Named {
  std::uint64_t name;  // the checksum of its id
  DocId document;
  friend bool operator<(const Named& a, const Named& b) { return a.document < b.document; }
};
struct NameOf {
  std::uint64_t operator()(const Named& named) const { return named.name; }
};

constexpr DocId kNone = ~DocId{0};

}  // namespace

void count_shared_ids(DedupRun& run) {
  SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
  Shuffle<Named, NameOf> names({.what = "the ids",
                                .expected_records = static_cast<std::size_t>(run.documents()),
                                .order_values = true,
                                .temp = &run.temp,
                                .memory_bytes = run.budget.available() / 2},
                               run.budget);
  std::string scratch;
  {
    auto writer = names.writer();
    ColumnReader<DocState> states(run.dir.work("states"));
    DocState state{};
    for (DocId document = 0; states.next(state); ++document)
      if (state != DocState::bad) writer.add({checksum(ids.get(document, scratch)), document});
  }
  // Of each worker: documents whose id an earlier one has, and the first of them.
  std::vector<std::uint64_t> counts(run.threads, 0);
  std::vector<DocId> firsts(run.threads, kNone);
  names.for_each_run(run.context, [&](unsigned worker, std::size_t /*partition*/, const Run<Named>& group) {
    const auto later = group.records.subspan(group.first ? 1 : 0);
    if (later.empty()) return;
    counts[worker] += later.size();
    firsts[worker] = std::min(firsts[worker], later.front().document);
  });
  std::uint64_t count = 0;
  for (const std::uint64_t some : counts) count += some;
  const DocId first = *std::min_element(firsts.begin(), firsts.end());
  run.dir.facts().set("shared_ids", count);
  run.dir.facts().set("shared_id", first == kNone ? std::string() : std::string(ids.get(first, scratch)));
}

}  // namespace refrain
