// Documents of a corpus that hold an item of another set: found in a stage of their own, and told to those after it.
//
// The stage leaves in `work`, besides against and against_spans:
//   against_ids, against_id_ends  the ids of the items, as ReferenceSet::id() gives them
//   against_items                 AgainstItem, an item
//   against_found                 AgainstPlace: the first documents of each item
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random_file.h"
#include "pipeline/column.h"
#include "pipeline/dedup_run.h"
#include "pipeline/slice_file.h"

namespace refrain {

// A document in which an item stands.
struct AgainstHit {
  DocId document = 0;
  std::uint64_t item = 0;  // the one of which most stands there, the first of several
  double share = 0;        // of its tokens
  std::uint64_t first_span = 0;
  std::uint64_t last_span = 0;  // one behind the last
};

struct AgainstItem {
  std::uint64_t tokens = 0;
  std::uint64_t documents = 0;    // in which it stands
  std::uint64_t first_found = 0;  // in against_found
  std::uint64_t last_found = 0;
  std::uint64_t state = 0;  // DocState
};

struct AgainstPlace {
  DocId document = 0;
  double share = 0;
  ByteRange where;
};

// The documents that are hit, one after the other.
class AgainstReader {
 public:
  // Without another set there are none.
  explicit AgainstReader(DedupRun& run);
  // Null where nothing stands in the document. Ask in ascending order.
  const AgainstHit* find(DocId document);

 private:
  std::unique_ptr<ColumnReader<AgainstHit>> reader_;
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
  std::unique_ptr<SliceFile> ids_;
  std::string scratch_;
};

// Writes against.jsonl.
void write_against(DedupRun& run);

// What the stage found out, from its facts.
AgainstReport against_report(DedupRun& run);

}  // namespace refrain
