// The stage that finds the documents of a corpus that contain an item of another set.
//
// For later stages it leaves in `work`, besides against and against_spans:
//   against_ids, against_id_ends  the ids of the items, as ReferenceSet::id() returns them
//   against_items                 AgainstItem, one per item
//   against_found                 AgainstPlace: the first documents that contain each item
#pragma once

#include <cstdint>

#include "verbs/dedup/against/reader.h"
#include "verbs/dedup/state/run.h"

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

}  // namespace refrain::verbs::dedup
