// How similar two documents are, by their texts.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "text/windows.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/slice_file.h"

namespace refrain::verbs::dedup {

// The Jaccard similarity of documents' sets of windows. Remembers the sets of some documents. Not thread-safe.
class Similarity {
 public:
  // `memory_bytes` for the sets that it remembers.
  Similarity(DedupRun& run, const text::FeaturePlan& plan, std::uint64_t memory_bytes);

  // The similarity, or anything below `threshold` where it is less than that.
  double of(DocId a, DocId b, double threshold);

 private:
  struct Held {
    DocId document;
    std::vector<std::uint64_t> set;
  };
  const std::vector<std::uint64_t>& set_of(DocId document);
  std::vector<std::uint64_t> make(DocId document);
  // Takes as much more for a long document.
  void reserve_beside(std::uint64_t bytes);

  const std::uint64_t memory_bytes_;
  Reservation reservation_;
  run::SliceFile texts_;
  text::FeatureStream stream_;
  std::string scratch_;
  std::list<Held> held_;  // the last used first
  std::unordered_map<DocId, std::list<Held>::iterator> places_;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace refrain::verbs::dedup
