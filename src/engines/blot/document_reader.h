// Reads the documents of a segment, and the texts that are stored with them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/blot/document_writer.h"
#include "engines/blot/format.h"
#include "store/page_file.h"

namespace refrain::blot {

// Not thread-safe. Throws Error(corrupt) if the file is damaged.
class DocumentReader {
 public:
  // `id` comes from the manifest.
  DocumentReader(const std::filesystem::path& folder, const store::PageFileId& id);
  // Another reader of the same file, for another thread, as with PageReader.
  explicit DocumentReader(const DocumentReader& other);

  std::uint64_t documents() const { return totals_.documents; }
  std::uint64_t blocks() const { return totals_.blocks; }
  const DocumentTotals& totals() const { return totals_; }
  // As in PageReader.
  std::uint64_t bytes() const { return file_.id().bytes; }
  void hold_pages(double share) { file_.hold_pages(share); }
  // The folder that relative paths are relative to.
  const std::string& root() const { return root_; }

  // Does not include the marks. Valid until another document is read.
  const DocumentInfo& info(std::uint64_t document);
  std::vector<TextMark> marks(std::uint64_t document);
  DocumentInfo with_marks(std::uint64_t document);
  std::uint64_t first_block(std::uint64_t document);
  // The document that contains a block.
  std::uint64_t document_at(std::uint64_t block);

  // Calls candidate(document) for every document with this id, in the order of the id table, until one call returns
  // true.
  void find(std::string_view id, const std::function<bool(std::uint64_t document)>& candidate);

  // A row of the table of ids: 32 bits of an id's hash, and its document. Rows are sorted by these.
  struct IdRow {
    std::uint32_t hash;
    std::uint32_t document;
  };
  IdRow id_row(std::uint64_t row);

  // Checks every page, and every document, its place, its id and the totals. `done` is called as by
  // PageReader::check_all.
  void check(const std::function<void(std::uint64_t)>& done);
  [[noreturn]] void corrupt(std::string_view what) const { file_.corrupt(what); }

 private:
  struct Group {
    std::uint64_t place;
    std::uint64_t block;
  };
  std::uint64_t groups() const { return (totals_.documents + kGroupDocuments - 1) / kGroupDocuments; }
  void load_groups();
  void load(std::uint64_t group);
  const std::string& path(std::uint64_t number);
  void check_paths();

  mutable store::PageReader file_;
  DocumentTotals totals_;
  std::string root_;
  std::uint64_t paths_ = 0;  // number of paths
  std::uint64_t paths_place_ = 0;
  std::uint64_t groups_place_ = 0;
  std::uint64_t ids_place_ = 0;
  std::vector<Group> groups_;                 // loaded when first needed: a byte per document
  std::uint64_t loaded_ = ~std::uint64_t{0};  // the group that the following members hold
  std::string bytes_;
  std::vector<DocumentInfo> loaded_documents_;
  std::vector<std::string_view> loaded_marks_;
  std::vector<std::uint64_t> loaded_blocks_;
  std::string scratch_;
  // A path is found by scanning the table of paths from the nearest earlier one whose place is known.
  std::vector<std::uint64_t> path_places_;         // of every kPathStep-th path, as far as the table has been read
  std::uint64_t path_number_ = ~std::uint64_t{0};  // the number of the path that was read last,
  std::uint64_t path_end_ = 0;                     // where it ends in the stream,
  std::string path_;                               // and its text
};

// Reads texts.bin. Not thread-safe.
class TextReader {
 public:
  TextReader(const std::filesystem::path& folder, const store::PageFileId& id);
  explicit TextReader(const TextReader& other) : file_(other.file_) {}
  // Returns frame number `frame` of a document. `document` must include its marks.
  std::string frame(const DocumentInfo& document, std::size_t frame);
  void check(const std::function<void(std::uint64_t)>& done) { file_.check_all(done); }
  // Returns the frames of a document, still compressed, so that they can be written elsewhere.
  std::string frames(const DocumentInfo& document);
  [[noreturn]] void corrupt(std::string_view what) const { file_.corrupt(what); }

 private:
  store::PageReader file_;
  std::string scratch_;
};

}  // namespace refrain::blot
