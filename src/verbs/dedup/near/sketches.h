// The sketches of all documents, and the filter that uses them to rule out pairs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/files/random_file.h"
#include "verbs/dedup/near/finder.h"

namespace refrain::verbs::dedup {

// Holds the first column of the method in memory if there is room, otherwise reads it from its file. Thread-safe.
class Sketches {
 public:
  explicit Sketches(DedupRun& run) : Sketches(run, run.near->columns().front()) {}
  std::size_t width() const { return width_; }
  // Valid until `scratch` changes.
  const std::uint8_t* get(DocId document, std::vector<std::uint8_t>& scratch) const;
  const SketchFilter& filter() const { return *filter_; }

 private:
  Sketches(DedupRun& run, const SketchColumn& column);

  std::size_t width_;
  Array<std::uint8_t> held_;
  std::optional<RandomFile> file_;
  std::unique_ptr<SketchFilter> filter_;
};

}  // namespace refrain::verbs::dedup
