// The libraries that a run looks into: those of `known`, in order, then `library`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "engines/library/layout.h"
#include "engines/library/reader.h"
#include "refrain/dedup.h"
#include "refrain/kernels.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// The layout of a library that such a run makes. `bands` are those of its signatures.
library::Layout layout_of(const DedupOptions& options, const std::optional<Bands>& bands);

// The bands by which documents are found in the libraries; nullopt if no library exists yet. Throws
// Error(invalid_argument) if a library was made with options for which this run has different values; the message
// names both.
std::optional<Bands> check_libraries(const DedupOptions& options);

// Identifies these libraries. For those of `known`, this includes their current state; `library` may be changed by
// the run itself.
std::string libraries_identity(const DedupOptions& options);

// The opened libraries. `library` is among them if it exists.
class Libraries {
 public:
  Libraries(const DedupOptions& options, MemoryBudget& budget);
  // Opens the same commits, for another thread.
  Libraries(const Libraries& other);

  std::size_t size() const { return readers_.size(); }
  library::Reader& operator[](std::size_t i) { return *readers_[i]; }
  const library::Manifest& manifest(std::size_t i) const { return readers_[i]->manifest(); }
  // Documents are numbered across all libraries.
  std::uint64_t documents() const { return begins_.back(); }
  std::uint64_t begin(std::size_t i) const { return begins_[i]; }
  std::size_t library_of(std::uint64_t document) const;

 private:
  std::vector<std::unique_ptr<library::Reader>> readers_;
  std::vector<std::uint64_t> begins_;  // followed by the total number
};

// The sites of this run that a library knows, with the windows left out of their documents, which may be none.
using KnownTemplates = std::map<std::uint64_t, std::vector<std::uint64_t>>;

// `sites` holds the site of every document. If several segments know a site, the first one with a template decides.
KnownTemplates known_templates(DedupRun& run, const Array<std::uint64_t>& sites);

}  // namespace refrain::verbs::dedup
