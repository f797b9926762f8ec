// Writes the documents of a segment: their ids, where their texts are, and the marks by which a part of a text is found.
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

// Where a document's text is to be had.
enum class TextHome : std::uint8_t {
  file,    // the file whose path is the id
  part,    // a part of a file of records
  stored,  // the index itself
  json,    // a part as well, with marks that know where they are in the raw text
};
constexpr bool is_part(TextHome home) {
  return home == TextHome::part || home == TextHome::json;
}

struct TextPlace {
  TextHome home = TextHome::file;
  // Of a part.
  std::string path = {};
  Format format = Format::files;
  std::uint64_t begin = 0;  // of the raw text in the file
  std::uint64_t bytes = 0;
  // Of a stored text: where in texts.bin, and the bytes of its frames.
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
  // Paths that are relative are so to `root`, which is only kept where there are any.
  DocumentWriter(const std::filesystem::path& folder, std::string_view root, MemoryBudget& budget);

  // In order.
  void add(const DocumentInfo& document);
  // The block of the next document's first token.
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
  bool relative_ = false;          // a path is relative to the root
  Array<char> paths_;              // as they will be written
  std::uint64_t paths_count_ = 1;  // with the root, which goes first
  std::string last_path_;
  std::string last_id_;
  std::string row_;
  std::string marks_;
  Array<Group> groups_;
  Array<std::uint64_t> ids_;  // 32 bits of the hash, then the number
  DocumentTotals totals_;
};

// The frames of a text.
struct PackedText {
  std::string bytes;
  std::vector<std::uint64_t> frames;
  std::uint64_t text_bytes = 0;
};

// Compresses; one a thread.
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

// texts.bin.
class TextWriter {
 public:
  explicit TextWriter(const std::filesystem::path& folder);

  // Returns where.
  std::uint64_t add(const PackedText& packed);
  store::PageFileId finish();

 private:
  store::PageWriter out_;
  std::uint64_t text_bytes_ = 0;
};

}  // namespace refrain::blot
