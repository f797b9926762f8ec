// Lets later stages read, document by document, which items of the other set were found.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/random_file.h"
#include "verbs/dedup/state/hit_reader.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

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
  // A JSON field that describes the hit, or null, with a comma before it. Empty unless documents with items are
  // only marked.
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
