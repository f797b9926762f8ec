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

// Not thread-safe. What is wrong with the file is Error(corrupt).
class DocumentReader {
 public:
  // `id` is what the manifest names.
  DocumentReader(const std::filesystem::path& folder, const store::PageFileId& id);
  // As PageReader's: the same file, for another thread.
  explicit DocumentReader(const DocumentReader& other);

  std::uint64_t documents() const { return totals_.documents; }
  std::uint64_t blocks() const { return totals_.blocks; }
  const DocumentTotals& totals() const { return totals_; }
  // As PageReader's.
  std::uint64_t bytes() const { return file_.id().bytes; }
  void hold_pages(double share) { file_.hold_pages(share); }
  // What relative paths are relative to.
  const std::string& root() const { return root_; }

  // Without its marks. Valid until another one is asked for.
  const DocumentInfo& info(std::uint64_t document);
  std::vector<TextMark> marks(std::uint64_t document);
  DocumentInfo whole(std::uint64_t document);
  std::uint64_t first_block(std::uint64_t document);
  // The document of a block.
  std::uint64_t document_at(std::uint64_t block);

  // Documents whose id this may be, by its hash: calls candidate(document) for each, until one returns true.
  void find(std::string_view id, const std::function<bool(std::uint64_t document)>& candidate);

  // The ids' hashes (32 bits) and documents, in that order.
  struct IdRow {
    std::uint32_t hash;
    std::uint32_t document;
  };
  IdRow id_row(std::uint64_t row);

  // Every page; every document, its place, its id, the sums. `done` as PageReader::check_all.
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
  std::uint64_t paths_ = 0;  // how many
  std::uint64_t paths_place_ = 0;
  std::uint64_t groups_place_ = 0;
  std::uint64_t ids_place_ = 0;
  std::vector<Group> groups_;                 // once they are needed: a byte a document
  std::uint64_t loaded_ = ~std::uint64_t{0};  // the group that is in what follows
  std::string bytes_;
  std::vector<DocumentInfo> loaded_documents_;
  std::vector<std::string_view> loaded_marks_;
  std::vector<std::uint64_t> loaded_blocks_;
  std::string scratch_;
  // Paths are found by going through their table from the nearest one before whose place is known.
  std::vector<std::uint64_t> path_places_;         // of every kPathStep-th path, as far as was read
  std::uint64_t path_number_ = ~std::uint64_t{0};  // the path that was read last,
  std::uint64_t path_end_ = 0;                     // where it ends,
  std::string path_;                               // and itself
};

// texts.bin. Not thread-safe.
class TextReader {
 public:
  TextReader(const std::filesystem::path& folder, const store::PageFileId& id);
  explicit TextReader(const TextReader& other) : file_(other.file_) {}
  // Frame number `frame` of a document that comes with its marks.
  std::string frame(const DocumentInfo& document, std::size_t frame);
  void check(const std::function<void(std::uint64_t)>& done) { file_.check_all(done); }
  // The frames of a document as they are, to be written again.
  std::string frames(const DocumentInfo& document);
  [[noreturn]] void corrupt(std::string_view what) const { file_.corrupt(what); }

 private:
  store::PageReader file_;
  std::string scratch_;
};

}  // namespace refrain::blot
