// What was decided of each document, one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "refrain/dedup.h"
#include "refrain/text.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

struct Decision {
  DocId match = 0;  // of what is not kept; for Reason::against the number of an item of the other set
  double similarity = 0;
  std::uint64_t reason = 0;  // Reason; none where it is kept
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
