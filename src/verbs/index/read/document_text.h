// The text of a document of the index, wherever it lives, or a part of it; never one that has changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/files/random_file.h"
#include "engines/blot/document_reader.h"
#include "engines/blot/manifest.h"

namespace refrain::verbs::index {

// Not thread-safe.
class DocumentText {
 public:
  DocumentText(const std::filesystem::path& folder, const blot::SegmentInfo& segment, blot::DocumentReader& documents);
  // The same texts, for another thread, whose documents these are.
  DocumentText(const DocumentText& other, blot::DocumentReader& documents);

  // The text from mark `first` up to mark `last`, which may be the number of marks: the end. Error(bad_input), which
  // names the file, where it is not what was indexed, or cannot be read.
  std::string read(std::uint64_t document, std::uint64_t first, std::uint64_t last);
  // Whether the file that was read last stays open. From then on it is read as it was, whatever takes its name.
  void keep_file(bool keep) {
    keeps_file_ = keep;
    if (!keep) file_.reset();
  }
  // Bytes that reading all of it takes at most, the text included.
  std::uint64_t room(std::uint64_t document) const;
  // The document with its marks. Valid until another one is asked for: a long one, of which much is read, is decoded once.
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
  std::optional<RandomFile> file_;  // that was read last
  bool keeps_file_ = false;
  std::uint64_t about_of_ = ~std::uint64_t{0};  // what about_ is about
  blot::DocumentInfo about_;
  std::uint64_t part_of_ = ~std::uint64_t{0};  // whose text is in part_
  std::string part_;
};

}  // namespace refrain::verbs::index
