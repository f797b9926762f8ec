// dedup: what was found of another set, for the stages after, and as JSON.
#include <fmt/format.h>

#include <iterator>
#include <span>

#include "base/json.h"
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

AgainstJson::AgainstJson(DedupRun& run) : run_(run), hits_(run) {
  if (!run.against()) return;
  spans_ = std::make_unique<RandomFile>(run.dir.work("against_spans"));
  ids_ = std::make_unique<SliceFile>(run.dir.work("against_ids"), run.dir.work("against_id_ends"));
}

std::string AgainstJson::spans(DocId document) {
  std::string text = "[";
  if (const AgainstHit* hit = hits_.find(document); hit != nullptr) {
    for (std::uint64_t i = hit->first_span; i < hit->last_span; ++i) {
      ByteRange span;
      spans_->read(i * sizeof span, {reinterpret_cast<char*>(&span), sizeof span});
      fmt::format_to(std::back_inserter(text), "{}[{}, {}]", text.size() == 1 ? "" : ", ", span.begin, span.end);
    }
  }
  return text + "]";
}

std::string AgainstJson::mark(DocId document) {
  if (!run_.against() || run_.options.against_action != AgainstAction::mark) return {};
  const AgainstHit* hit = hits_.find(document);
  if (hit == nullptr) return R"(, "against": null)";
  return fmt::format(R"(, "against": {{"match": {}, "similarity": {:.6g}, "spans": {}}})", json_string(id(hit->item)),
                     hit->share, spans(document));
}

std::string_view AgainstJson::id(std::uint64_t item) {
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
