// The stage that finds the documents of a corpus that contain an item of another set.
//
// For later stages it leaves in `work`, besides against and against_spans:
//   against_ids, against_id_ends  the ids of the items, as ReferenceSet::id() returns them
//   against_items                 AgainstItem, one per item
//   against_found                 AgainstPlace: the first documents that contain each item
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

struct AgainstItem {
  std::uint64_t tokens = 0;
  std::uint64_t documents = 0;    // number of documents that contain it
  std::uint64_t first_found = 0;  // index into against_found
  std::uint64_t last_found = 0;
  std::uint64_t state = 0;  // DocState
};

struct AgainstPlace {
  DocId document = 0;
  double share = 0;
  ByteRange where;
};

// Runs the stage. Called only if there is another set.
void dedup_against(DedupRun& run);

// Writes against.jsonl.
void write_against(DedupRun& run);

// Lets later stages read, document by document, which items of the other set were found.

// A document that contains an item.
struct AgainstHit {
  DocId document = 0;
  std::uint64_t item = 0;  // the item with the greatest share; the first of several
  double share = 0;        // of the item's tokens
  std::uint64_t first_span = 0;
  std::uint64_t last_span = 0;  // one after the last
};

// Reads the documents that contain an item, one after the other. Without another set there are none.
struct AgainstReader : HitReader<AgainstHit> {
  explicit AgainstReader(DedupRun& run) : HitReader(run, run.against(), "against") {}
};

// The same, with the place and the id of the item. Ask in ascending order.
class AgainstView {
 public:
  explicit AgainstView(DedupRun& run);
  // Null if the document contains no item.
  const AgainstHit* hit(DocId document) { return hits_.find(document); }
  // The byte ranges of items in the document; empty if it contains none.
  std::vector<ByteRange> spans(DocId document);
  // The id of an item.
  std::string_view id(std::uint64_t item);

 private:
  AgainstReader hits_;
  std::unique_ptr<RandomFile> spans_;
  std::unique_ptr<run::SliceFile> ids_;
  std::string scratch_;
};

}  // namespace refrain::verbs::dedup
