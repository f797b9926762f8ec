// What was decided of each document, one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engines/sketch/loss.h"
#include "refrain/dedup.h"
#include "refrain/text.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

struct Decision {
  // Of what is not kept, or is kept for its own text; for Reason::against the number of an item of the other set.
  DocId match = 0;
  double similarity = 0;
  std::uint32_t reason = 0;    // Reason; none where it is kept
  std::uint32_t own_text = 0;  // 1: it is similar to `match`, and kept for what that does not hold
  sketch::Loss loss = {};

  bool is(Reason one) const { return reason == static_cast<std::uint32_t>(one); }
  bool kept() const { return is(Reason::none); }
};

// Bytes of a kept document that go.
struct CutSpan {
  DocId document = 0;
  ByteRange bytes;
};

// What was decided of one document after the other, substrings included.
class DedupOutcome {
 public:
  explicit DedupOutcome(DedupRun& run);
  // The same before `substrings` has run.
  static DedupOutcome without_substrings(DedupRun& run);
  // False at the end. `spans`: what is cut out of a kept document. Of one that was removed for Reason::substring the
  // match is no other document.
  bool next(Decision& decision, std::vector<ByteRange>& spans);
  // The next one is this document, which comes behind the last.
  void seek(DocId document);

 private:
  explicit DedupOutcome(const run::RunDir& dir) : decisions_(dir.work("decided")) {}

  run::ColumnReader<Decision> decisions_;
  std::optional<run::ColumnReader<CutSpan>> spans_;
  std::optional<run::ColumnReader<DocId>> emptied_;
  CutSpan next_span_;
  DocId next_emptied_ = 0;
  bool more_spans_ = false;
  bool more_emptied_ = false;
  DocId document_ = 0;
};

}  // namespace refrain::verbs::dedup
