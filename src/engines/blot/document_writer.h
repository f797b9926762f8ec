// Writes the documents of a segment: their ids, where their texts are, and the marks by which parts of a text are
// found.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "engines/blot/blotter.h"
#include "refrain/input.h"
#include "store/page_file.h"

namespace refrain::blot {

// Where the text of a document is kept.
enum class TextLocation : std::uint8_t {
  file,    // the file whose path is the id
  part,    // a part of a file of records
  stored,  // the index itself
  json,    // a part as well, with marks that record their positions in the raw text
};
constexpr bool is_part(TextLocation home) {
  return home == TextLocation::part || home == TextLocation::json;
}

struct TextPlace {
  TextLocation home = TextLocation::file;
  // If the text is part of a file:
  std::string path = {};
  Format format = Format::files;
  std::uint64_t begin = 0;  // position of the raw text in the file
  std::uint64_t bytes = 0;
  // If the text is stored: its position in texts.bin, and the number of bytes of each frame.
  std::uint64_t stored = 0;
  std::vector<std::uint64_t> frames = {};
};

struct DocumentInfo {
  std::string id;
  std::uint64_t tokens = 0;
  std::uint64_t text_bytes = 0;
  TextPlace place;
  std::vector<TextMark> marks;
};

struct DocumentTotals {
  store::PageFileId file;
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;
  std::uint64_t blocks = 0;
  std::uint64_t text_bytes = 0;
};

std::uint64_t id_hash(std::string_view id);

class DocumentWriter {
 public:
  // Relative paths are relative to `root`, which is stored only if there are any.
  DocumentWriter(const std::filesystem::path& folder, std::string_view root, MemoryBudget& budget);

  // Documents are numbered in the order in which they are added.
  void add(const DocumentInfo& document);
  // The number of the block in which the next document will begin.
  std::uint64_t blocks() const { return totals_.blocks; }
  std::uint64_t documents() const { return totals_.documents; }
  DocumentTotals finish();

 private:
  struct Group {
    std::uint64_t place;
    std::uint64_t block;
  };
  std::uint64_t path_number(const std::string& path);

  store::PageWriter out_;
  const std::string root_;
  bool relative_ = false;          // some path is relative to the root
  Array<char> paths_;              // in the form in which they will be written
  std::uint64_t paths_count_ = 1;  // including the root, which comes first
  std::string last_path_;
  std::string last_id_;
  std::string row_;
  std::string marks_;
  Array<Group> groups_;
  Array<std::uint64_t> ids_;  // 32 bits of the hash in the upper half, the document's number in the lower
  DocumentTotals totals_;
};

// A text, compressed into frames.
struct PackedText {
  std::string bytes;
  std::vector<std::uint64_t> frames;
  std::uint64_t text_bytes = 0;
};

// Compresses texts. Use one per thread.
class TextPacker {
 public:
  TextPacker();
  ~TextPacker();
  TextPacker(const TextPacker&) = delete;
  TextPacker& operator=(const TextPacker&) = delete;
  PackedText pack(std::string_view text, std::span<const TextMark> marks);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes texts.bin.
class TextWriter {
 public:
  explicit TextWriter(const std::filesystem::path& folder);

  // Returns the position of the text in the stream.
  std::uint64_t add(const PackedText& packed);
  store::PageFileId finish();

 private:
  store::PageWriter out_;
  std::uint64_t text_bytes_ = 0;
};

}  // namespace refrain::blot
