// Documents of a corpus that hold an item of another set: found in a stage of their own, and told to those after it.
//
// The stage leaves in `work`, besides against and against_spans:
//   against_ids, against_id_ends  the ids of the items, as ReferenceSet::id() gives them
//   against_items                 AgainstItem, an item
//   against_found                 AgainstPlace: the first documents of each item
#pragma once

#include <cstdint>

#include "verbs/dedup/against/reader.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

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

// The stage; only where there is another set.
void dedup_against(DedupRun& run);

// Writes against.jsonl.
void write_against(DedupRun& run);

}  // namespace refrain::verbs::dedup
