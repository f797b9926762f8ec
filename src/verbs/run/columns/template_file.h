// The templates of a run in a file: of each source the windows that are left out, and of each document its source.
//
// Numbers are little-endian:
//   magic       "rfntmpl2"
//   uint64 * 2  sources; documents
//   uint64      a source: where its windows end, counted from the first of all
//   uint64      a window: its hash; those of a source ascend
//   uint16      a document: the number of its source from 1; 0: nothing is left out
//   uint64      checksum_at() of all before it
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/budget.h"
#include "base/files/random_file.h"
#include "text/left_out.h"
#include "verbs/run/dir.h"

namespace refrain::verbs::run {

inline constexpr std::size_t kMostTemplateSources = 4096;

// `sources` has the windows of each, ascending; `documents` the number of each one's source.
void write_templates(RunFile& file, std::span<const std::vector<std::uint64_t>> sources,
                     std::span<const std::uint16_t> documents);

// Thread-safe.
class TemplateFile {
 public:
  // Reads it through. Error(corrupt) where it is damaged.
  TemplateFile(const std::filesystem::path& path, MemoryBudget& budget);

  // What is left out of a document; null where nothing is.
  const text::LeftOut* of(std::uint64_t document) const;

  // The windows that are left out of a document, ascending; none where nothing is.
  std::span<const std::uint64_t> windows_of(std::uint64_t document) const;

  // Writes another that has only those documents for which wanted() is true.
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

// The same where there may be no templates at all.
inline const text::LeftOut* left_out_of(const std::shared_ptr<const TemplateFile>& templates, std::uint64_t document) {
  return templates ? templates->of(document) : nullptr;
}

}  // namespace refrain::verbs::run
