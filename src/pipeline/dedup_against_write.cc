// dedup: what was found of another set, for the stages after, and as JSON.
#include <fmt/format.h>

#include <iterator>
#include <span>

#include "base/json.h"
#include "base/random_file.h"
#include "pipeline/dedup_against.h"

namespace refrain {

AgainstReader::AgainstReader(DedupRun& run) {
  if (!run.against()) return;
  reader_ = std::make_unique<ColumnReader<AgainstHit>>(run.dir.work("against"));
  there_ = reader_->next(hit_);
}

const AgainstHit* AgainstReader::find(DocId document) {
  while (there_ && hit_.document < document) there_ = reader_->next(hit_);
  return there_ && hit_.document == document ? &hit_ : nullptr;
}

AgainstView::AgainstView(DedupRun& run) : run_(run), hits_(run) {
  if (!run.against()) return;
  spans_ = std::make_unique<RandomFile>(run.dir.work("against_spans"));
  ids_ = std::make_unique<SliceFile>(run.dir.work("against_ids"), run.dir.work("against_id_ends"));
}

std::vector<ByteRange> AgainstView::spans(DocId document) {
  const AgainstHit* hit = hits_.find(document);
  if (hit == nullptr) return {};
  std::vector<ByteRange> spans(hit->last_span - hit->first_span);
  spans_->read(hit->first_span * sizeof(ByteRange),
               {reinterpret_cast<char*>(spans.data()), spans.size() * sizeof(ByteRange)});
  return spans;
}

std::string AgainstView::mark(DocId document) {
  if (!run_.against() || run_.options.against_action != AgainstAction::mark) return {};
  const AgainstHit* hit = hits_.find(document);
  if (hit == nullptr) return R"(, "against": null)";
  std::string where;
  for (const ByteRange span : spans(document))
    fmt::format_to(std::back_inserter(where), "{}[{}, {}]", where.empty() ? "" : ", ", span.begin, span.end);
  return fmt::format(R"(, "against": {{"match": {}, "similarity": {:.6g}, "spans": [{}]}})", json_string(id(hit->item)),
                     hit->share, where);
}

std::string_view AgainstView::id(std::uint64_t item) {
  return ids_->get(item, scratch_);
}

void write_against(DedupRun& run) {
  if (!run.against()) return;
  SliceFile item_ids(run.dir.work("against_ids"), run.dir.work("against_id_ends"));
  SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
  const RandomFile found(run.dir.work("against_found"));
  ColumnReader<AgainstItem> items(run.dir.work("against_items"));
  RunFile out = run.dir.create_output("against.jsonl");
  std::string scratch;
  std::string line;
  AgainstItem item;
  for (std::uint64_t i = 0; items.next(item); ++i) {
    const auto state = static_cast<DocState>(item.state);
    if (state == DocState::bad) continue;
    line =
        fmt::format(R"({{"id": {}, "tokens": {}, "too_short": {}, "documents": {}, "found": [)",
                    json_string(item_ids.get(i, scratch)), item.tokens, state == DocState::too_short, item.documents);
    for (std::uint64_t k = item.first_found; k < item.last_found; ++k) {
      AgainstPlace place;
      found.read(k * sizeof place, {reinterpret_cast<char*>(&place), sizeof place});
      fmt::format_to(std::back_inserter(line), R"({}{{"id": {}, "share": {:.6g}, "begin": {}, "end": {}}})",
                     k == item.first_found ? "" : ", ", json_string(ids.get(place.document, scratch)), place.share,
                     place.where.begin, place.where.end);
    }
    out.write(line + "]}\n");
  }
  run.dir.close(out);
}

}  // namespace refrain
