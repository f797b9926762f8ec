#include "verbs/dedup/state/outcome.h"

namespace refrain::verbs::dedup {

DedupOutcome DedupOutcome::without_substrings(DedupRun& run) {
  return DedupOutcome(run.dir);
}

DedupOutcome::DedupOutcome(DedupRun& run) : DedupOutcome(run.dir) {
  if (run.options.substrings == 0) return;
  spans_.emplace(run.dir.work("spans"));
  emptied_.emplace(run.dir.work("emptied"));
  more_spans_ = spans_->next(next_span_);
  more_emptied_ = emptied_->next(next_emptied_);
}

bool DedupOutcome::next(Decision& decision, std::vector<ByteRange>& spans) {
  spans.clear();
  if (!decisions_.next(decision)) return false;
  for (; more_spans_ && next_span_.document == document_; more_spans_ = spans_->next(next_span_))
    spans.push_back(next_span_.bytes);
  if (more_emptied_ && next_emptied_ == document_) {
    decision = {.match = document_, .similarity = 0, .reason = static_cast<std::uint32_t>(Reason::substring)};
    more_emptied_ = emptied_->next(next_emptied_);
  }
  ++document_;
  return true;
}

void DedupOutcome::seek(DocId document) {
  decisions_.seek(document);
  document_ = document;
  while (more_spans_ && next_span_.document < document) more_spans_ = spans_->next(next_span_);
  while (more_emptied_ && next_emptied_ < document) more_emptied_ = emptied_->next(next_emptied_);
}

}  // namespace refrain::verbs::dedup
