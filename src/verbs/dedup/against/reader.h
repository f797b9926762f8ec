// What was found of another set, document by document, for the stages after.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/random_file.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

// A document in which an item stands.
struct AgainstHit {
  DocId document = 0;
  std::uint64_t item = 0;  // the one of which most stands there, the first of several
  double share = 0;        // of its tokens
  std::uint64_t first_span = 0;
  std::uint64_t last_span = 0;  // one behind the last
};

// The documents that are hit, one after the other.
class AgainstReader {
 public:
  // Without another set there are none.
  explicit AgainstReader(DedupRun& run);
  // Null where nothing stands in the document. Ask in ascending order.
  const AgainstHit* find(DocId document);

 private:
  std::unique_ptr<run::ColumnReader<AgainstHit>> reader_;
  AgainstHit hit_;
  bool there_ = false;
};

// The same, with where an item stands, and what it is called. Ask in ascending order.
class AgainstView {
 public:
  explicit AgainstView(DedupRun& run);
  // Null where nothing stands in the document.
  const AgainstHit* hit(DocId document) { return hits_.find(document); }
  // In the document; none where nothing stands there.
  std::vector<ByteRange> spans(DocId document);
  // A JSON field that marks the document, with a comma before it; empty where such documents are removed.
  std::string mark(DocId document);
  // The id of an item.
  std::string_view id(std::uint64_t item);

 private:
  DedupRun& run_;
  AgainstReader hits_;
  std::unique_ptr<RandomFile> spans_;
  std::unique_ptr<run::SliceFile> ids_;
  std::string scratch_;
};

}  // namespace refrain::verbs::dedup
