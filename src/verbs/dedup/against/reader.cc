#include "verbs/dedup/against/reader.h"

#include <fmt/format.h>

#include <iterator>

#include "base/json.h"

namespace refrain::verbs::dedup {

AgainstView::AgainstView(DedupRun& run) : run_(run), hits_(run) {
  if (!run.against()) return;
  spans_ = std::make_unique<RandomFile>(run.dir.work("against_spans"));
  ids_ = std::make_unique<run::SliceFile>(run.dir.work("against_ids"), run.dir.work("against_id_ends"));
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
    where += fmt::format("{}[{}, {}]", where.empty() ? "" : ", ", span.begin, span.end);
  return fmt::format(R"(, "against": {{"match": {}, "similarity": {:.6g}, "spans": [{}]}})", json_text(id(hit->item)),
                     hit->share, where);
}

std::string_view AgainstView::id(std::uint64_t item) {
  return ids_->get(item, scratch_);
}

}  // namespace refrain::verbs::dedup
