// Finds the documents of the libraries that documents of the input may match: by their keys, unless their
// signatures rule a match out. Their texts are read where they are and copied to `work` (state/known_documents.h).
#pragma once

#include <cstdint>

#include "verbs/dedup/state/known_documents.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// A document of the input and a known document that may match it.
struct KnownPair {
  DocId document = 0;
  DocId match = 0;          // numbered after the documents of the input
  std::uint64_t exact = 0;  // 1: they have the same digest
  double estimate = 0;      // of their similarity, from their signatures
  friend auto operator<=>(const KnownPair&, const KnownPair&) = default;
};

// Writes the pairs to `known_pairs`, in order.
void look_up_known(DedupRun& run, KnownReport& report);

}  // namespace refrain::verbs::dedup
