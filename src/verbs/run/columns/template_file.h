// The templates of a run in a file: for each source the windows that are left out, and for each document its
// source.
//
// Numbers are little-endian:
//   magic       "rfntmpl2"
//   uint64 * 2  sources; documents
//   uint64      per source: the end of its windows, as an index into all windows
//   uint64      per window: its hash; those of one source ascend
//   uint16      per document: the number of its source, counted from 1; 0: nothing is left out
//   uint64      checksum_at() of everything before it
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/budget.h"
#include "base/files/file.h"
#include "text/windows.h"
#include "verbs/run/dir.h"

namespace refrain::verbs::run {

inline constexpr std::size_t kMostTemplateSources = 4096;

// `sources` holds the windows of each source, ascending; `documents` holds the number of each document's source.
void write_templates(RunFile& file, std::span<const std::vector<std::uint64_t>> sources,
                     std::span<const std::uint16_t> documents);

// Thread-safe.
class TemplateFile {
 public:
  // Reads the whole file once to check it. Throws Error(corrupt) if it is damaged.
  TemplateFile(const std::filesystem::path& path, MemoryBudget& budget);

  // The windows left out of a document; null if there are none.
  const text::LeftOut* of(std::uint64_t document) const;

  // The windows left out of a document, ascending; empty if there are none.
  std::span<const std::uint64_t> windows_of(std::uint64_t document) const;

  // Writes a new file that has only the documents for which wanted() is true.
  void write_some(RunFile& file, MemoryBudget& budget, const std::function<bool(std::uint64_t document)>& wanted) const;

 private:
  struct Counts {
    std::uint64_t sources = 0;
    std::uint64_t documents = 0;
  };

  void check_sum() const;
  void read_sources();
  std::uint16_t source_of(std::uint64_t document) const;
  [[noreturn]] void refuse() const;

  RandomFile file_;
  Counts counts_;
  std::vector<std::vector<std::uint64_t>> windows_;
  std::vector<text::LeftOut> sources_;
  Reservation reservation_;
  std::uint64_t documents_begin_ = 0;  // in the file
};

// The same for a run that may have no templates.
inline const text::LeftOut* left_out_of(const std::shared_ptr<const TemplateFile>& templates, std::uint64_t document) {
  return templates ? templates->of(document) : nullptr;
}

}  // namespace refrain::verbs::run
