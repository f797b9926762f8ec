// Reads rows that only some documents have.
#pragma once

#include <optional>

#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

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
