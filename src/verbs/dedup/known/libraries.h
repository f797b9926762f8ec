// The libraries that a run looks into: those of `known`, in order, and then `library`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "engines/library/layout.h"
#include "engines/library/reader.h"
#include "refrain/dedup.h"
#include "refrain/kernels.h"

namespace refrain::verbs::dedup {

// What a library that such a run makes is like. `bands` are those of its signatures.
library::Layout layout_of(const DedupOptions& options, const std::optional<Bands>& bands);

// The bands that the libraries are found by; none where there is no library yet. Error(invalid_argument) where a library
// was made with options that this run has other values for; both are named.
std::optional<Bands> check_libraries(const DedupOptions& options);

// What tells these libraries from all others: of those of `known` also the state that they are in, while `library` may be
// changed by the run itself.
std::string libraries_identity(const DedupOptions& options);

// Opened, to be read. `library` is among them if it exists.
class Libraries {
 public:
  Libraries(const DedupOptions& options, MemoryBudget& budget);
  // The same commits, for another thread.
  Libraries(const Libraries& other);

  std::size_t size() const { return readers_.size(); }
  library::Reader& operator[](std::size_t i) { return *readers_[i]; }
  const library::Manifest& manifest(std::size_t i) const { return readers_[i]->manifest(); }
  // Documents are numbered through all libraries.
  std::uint64_t documents() const { return begins_.back(); }
  std::uint64_t begin(std::size_t i) const { return begins_[i]; }
  std::size_t library_of(std::uint64_t document) const;

 private:
  std::vector<std::unique_ptr<library::Reader>> readers_;
  std::vector<std::uint64_t> begins_;  // and the end
};

}  // namespace refrain::verbs::dedup
