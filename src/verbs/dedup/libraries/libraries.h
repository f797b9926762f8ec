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
#include "engines/library/folder.h"
#include "engines/library/layout.h"
#include "engines/library/reader.h"
#include "refrain/dedup.h"
#include "refrain/kernels.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/state/known_documents.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// The layout of a library that such a run makes. `bands` are those of its signatures.
library::Layout layout_of(const DedupOptions& options, const std::optional<Bands>& bands);

// The version of HtmlPart::main that the libraries of a run were made with, and so has to use.
unsigned main_version_of(const DedupOptions& options);

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

// Finds the documents of the libraries that documents of the input may match: by their keys, unless their
// signatures rule a match out. Their texts are read where they are and copied to `work` (state/known_documents.h).

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

// Adds the documents that a run keeps to a library, so that later runs know them.

// The stage `library`: adds the kept documents to the library that grows, or creates one in the run's folder.
void dedup_library(DedupRun& run);

// Opens and locks the library that grows, and creates it if it does not exist. `near` is the method of the run;
// null: off.
std::unique_ptr<library::LibraryWriter> open_library(const DedupOptions& options, const NearFinder* near);

// The state of the library that grows; empty if it does not exist yet.
std::string library_state(const DedupRun& run);
// Returns a new random name for this run.
std::string new_run_name();

// Throws Error(invalid_argument) if the keep policy ranks a document of the input before one that a library holds:
// what earlier runs kept is not given up.
void check_order(DedupRun& run);

}  // namespace refrain::verbs::dedup
