// Reads the text of a document of the index, or a part of it, from wherever it is stored. Text that has changed
// since it was indexed is never returned.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/files/file.h"
#include "engines/blot/document_reader.h"
#include "engines/blot/manifest.h"

namespace refrain::verbs::index {

// Not thread-safe.
class DocumentText {
 public:
  DocumentText(const std::filesystem::path& folder, const blot::SegmentInfo& segment, blot::DocumentReader& documents);
  // Reads the same texts for another thread. `documents` belongs to that thread.
  DocumentText(const DocumentText& other, blot::DocumentReader& documents);

  // Returns the text from mark `first` up to mark `last`, where the number of marks means the end of the text.
  // Throws Error(bad_input), which names the file, if the text is not what was indexed or the file is gone.
  std::string read(std::uint64_t document, std::uint64_t first, std::uint64_t last);
  // Sets whether the file that was read last stays open. An open file keeps its content, even if another file takes
  // its name.
  void keep_file(bool keep) {
    keeps_file_ = keep;
    if (!keep) file_.reset();
  }
  // The most bytes that reading the whole text takes, including the text itself.
  std::uint64_t room(std::uint64_t document) const;
  // The document with its marks. Valid until another document is asked for; a long document that is read in many
  // parts is decoded only once.
  const blot::DocumentInfo& about(std::uint64_t document);

 private:
  struct FilePart {
    std::string bytes;
    std::uint64_t file_size = 0;
  };
  FilePart part_of_file(const std::string& path, std::uint64_t begin, std::uint64_t size);
  std::string read_file(const std::string& name, const blot::DocumentInfo& document, std::uint64_t begin,
                        std::uint64_t end);
  std::string read_raw(const blot::DocumentInfo& document, std::uint64_t begin, std::uint64_t end);
  std::string read_json(const blot::DocumentInfo& document, std::uint64_t first, std::uint64_t last);
  const std::string& part(std::uint64_t number, const blot::DocumentInfo& document);
  std::string stored(const blot::DocumentInfo& document, std::uint64_t first, std::uint64_t last);

  blot::DocumentReader& documents_;
  std::unique_ptr<blot::TextReader> texts_;
  std::optional<RandomFile> file_;  // the file that was read last
  bool keeps_file_ = false;
  std::uint64_t about_of_ = ~std::uint64_t{0};  // the document that about_ describes
  blot::DocumentInfo about_;
  std::uint64_t part_of_ = ~std::uint64_t{0};  // the document whose text is in part_
  std::string part_;
};

}  // namespace refrain::verbs::index
