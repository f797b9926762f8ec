// How similar two documents are: an estimate from their signatures, and the truth from their texts.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/random_file.h"
#include "text/windows.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/slice_file.h"

namespace refrain::verbs::dedup {

// What is known of every document without its text: MinHash signatures, a byte a lane, or SimHash fingerprints. In memory
// where there is room, else in their file. Thread-safe.
class Sketches {
 public:
  explicit Sketches(DedupRun& run);
  std::size_t width() const { return width_; }
  // Valid until `scratch` changes.
  const std::uint8_t* get(DocId document, std::vector<std::uint8_t>& scratch) const;

  // Whether documents with such sketches may match; `document` is the later one, by rank. MinHash: what is at the
  // threshold is let through but for four standard deviations. SimHash: the distance decides, and where that is more
  // than options.close, only a short text may match.
  bool may_match(const std::uint8_t* earlier, const std::uint8_t* later, DocId document) const;
  // The same for many that are later, whose sketches lie one after the other: appends the places of those that may.
  void may_match(const std::uint8_t* earlier, const std::uint8_t* laters, std::span<const DocId> documents,
                 std::vector<std::uint32_t>& places) const;

 private:
  bool simhash_;
  std::size_t width_;
  unsigned limit_;  // the fewest bytes that must be equal, or the most bits that may differ
  unsigned close_;
  std::uint64_t short_bytes_;
  Array<std::uint8_t> held_;
  Array<std::uint64_t> text_ends_;  // where `close` says more than `distance`
  std::optional<RandomFile> file_;
};

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
