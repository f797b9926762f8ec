// The decision on each document, read one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engines/sketch/loss.h"
#include "refrain/dedup.h"
#include "refrain/text.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

struct Decision {
  // For a document that is removed, or kept for its own text: the document it matches. For Reason::against: the
  // number of an item of the other set. Meaningless for Reason::overridden.
  DocId match = 0;
  double similarity = 0;
  std::uint32_t reason = 0;    // Reason; none if the document is kept
  std::uint32_t own_text = 0;  // 1: similar to `match`, but kept for text that `match` does not hold
  sketch::Loss loss = {};

  bool is(Reason one) const { return reason == static_cast<std::uint32_t>(one); }
  bool kept() const { return is(Reason::none); }
};

// Bytes that are cut out of a kept document.
struct CutSpan {
  DocId document = 0;
  ByteRange bytes;
};

// Reads the decision on each document, one after the other, substrings included.
class DedupOutcome {
 public:
  explicit DedupOutcome(DedupRun& run);
  // The decisions as they were before `substrings`.
  static DedupOutcome without_substrings(DedupRun& run);
  // Returns false at the end. `spans` receives the ranges that are cut out of a kept document. A document that was
  // removed for Reason::substring has itself as its match.
  bool next(Decision& decision, std::vector<ByteRange>& spans);
  // Makes `document` the next one. It must come after the last one read.
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

// Reads rows that only some documents have.
//
// A Hit has a `document`; the rows in the file are in its order.
template <class Hit>
class HitReader {
 public:
  // If `there` is false, there is no file, and no document has a row.
  HitReader(DedupRun& run, bool there, const char* name) : there_(there) {
    if (!there) return;
    reader_.emplace(run.dir.work(name));
    there_ = reader_->next(hit_);
  }
  // Null if the document has no row. Ask in ascending order.
  const Hit* find(DocId document) {
    while (there_ && hit_.document < document) there_ = reader_->next(hit_);
    return there_ && hit_.document == document ? &hit_ : nullptr;
  }

 private:
  std::optional<run::ColumnReader<Hit>> reader_;
  Hit hit_;
  bool there_;
};

}  // namespace refrain::verbs::dedup
