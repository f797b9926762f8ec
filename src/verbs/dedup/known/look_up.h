// Which documents of the libraries those of the input may match: found by their keys, and by their signatures where those
// do not rule it out. Their texts are read where they lie, and left in `work` (state/known_documents.h).
#pragma once

#include <cstdint>

#include "verbs/dedup/state/known_documents.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// A document of the input, and a known one that may match it.
struct KnownPair {
  DocId document = 0;
  DocId match = 0;          // behind the documents of the input
  std::uint64_t exact = 0;  // 1: they have the same digest
  double estimate = 0;      // of their similarity, by their signatures
  friend auto operator<=>(const KnownPair&, const KnownPair&) = default;
};

// Leaves the pairs in `known_pairs`, in order.
void look_up_known(DedupRun& run, KnownReport& report);

}  // namespace refrain::verbs::dedup
