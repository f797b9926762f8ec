// documents.bin: everything about the documents of a segment, except their ids (format.h).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engines/library/format.h"
#include "engines/library/ids.h"
#include "engines/library/layout.h"
#include "store/page_file.h"
#include "store/segments/numbers.h"

namespace refrain::library {

// Encodes groups of documents in their stored form. Not thread-safe.
class DocumentGroups {
 public:
  explicit DocumentGroups(unsigned lanes) : lanes_(lanes) {}

  void clear();
  // Ignores the id and the bands. The first document after construction or clear() begins a group.
  void add(const NewDocument& document);
  // Ends the last group. Nothing may be added after it, until clear().
  void end() { end_group(); }

  const std::string& bytes() const { return bytes_; }
  const std::vector<std::uint64_t>& begins() const { return begins_; }  // where each group begins in bytes()
  std::uint64_t documents() const { return documents_; }
  std::uint64_t text_bytes() const { return text_bytes_; }
  std::uint64_t greatest_rank() const { return greatest_rank_; }

 private:
  void end_group();

  const unsigned lanes_;
  std::string bytes_;
  std::vector<std::uint64_t> begins_;
  std::string rows_;      // rows of the open group
  std::string sketches_;  // digests and signatures of the open group
  std::uint32_t file_ = 0;
  std::uint32_t source_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t rank_ = 0;
  std::uint64_t documents_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t greatest_rank_ = 0;
};

// Not thread-safe.
class DocumentsWriter {
 public:
  DocumentsWriter(const std::filesystem::path& folder, unsigned lanes, TempSpace& temp);

  // Every group must be full, except the last one of the file. Throws Error(unsupported) if the segment is full.
  void add(const DocumentGroups& groups);
  std::uint64_t documents() const { return documents_; }
  std::uint64_t text_bytes() const { return text_bytes_; }
  std::uint64_t greatest_rank() const { return greatest_rank_; }
  store::PageFileId finish();

 private:
  store::PageWriter out_;
  const unsigned lanes_;
  store::NumbersWriter groups_;
  std::uint64_t documents_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t greatest_rank_ = 0;
};

// Not thread-safe; each thread needs a copy of its own.
class DocumentsReader {
 public:
  DocumentsReader(const std::filesystem::path& folder, const store::PageFileId& id, unsigned lanes);
  DocumentsReader(const DocumentsReader& other) = default;

  std::uint64_t documents() const { return documents_; }
  std::uint64_t text_bytes() const { return text_bytes_; }
  std::uint64_t greatest_rank() const { return greatest_rank_; }
  // Fills in every field of `out` except `segment`.
  void get(std::uint64_t document, KnownDocument& out);
  std::uint64_t bytes_read() const { return file_.bytes_read() + groups_.bytes_read(); }
  store::PageReader& file() { return file_; }

 private:
  struct Row {
    TextPlace place;
    std::uint32_t source = 0;
    std::uint64_t text_bytes = 0;
    std::uint64_t rank = 0;
    std::size_t sketch = 0;  // offset of its digest in bytes_
    bool has_signature = false;
  };
  void load(std::uint64_t group);

  store::PageReader file_;
  const unsigned lanes_;
  std::uint64_t documents_;
  std::uint64_t text_bytes_;
  std::uint64_t greatest_rank_;
  store::NumbersReader groups_;
  std::uint64_t loaded_;  // the group in rows_ and bytes_
  std::string bytes_;
  std::array<Row, kGroupDocuments> rows_;
};

// Documents that are encoded at a time: a multiple of the group size and of the block size of ids.
inline constexpr std::uint64_t kChunkDocuments = 1024;
static_assert(kChunkDocuments % kGroupDocuments == 0 && kChunkDocuments % kBlockIds == 0);

// Not thread-safe.
struct Chunk {
  explicit Chunk(unsigned lanes) : documents(lanes) {}
  void add(const NewDocument& document) {
    documents.add(document);
    ids.add(document.id);
  }
  std::uint64_t size() const { return documents.documents(); }

  DocumentGroups documents;
  IdBlocks ids;
};

// Not thread-safe.
class ChunkWriter {
 public:
  ChunkWriter(const std::filesystem::path& folder, unsigned lanes, TempSpace& temp)
      : documents_(folder, lanes, temp), ids_(folder, temp), open_(lanes) {}

  // Adds one document.
  void add(const NewDocument& document) {
    open_.add(document);
    if (open_.size() == kChunkDocuments) write(open_);
  }
  // Writes a chunk that is full, or the last one, and clears it. Use either this or add(), not both.
  void write(Chunk& chunk) {
    chunk.documents.end();
    chunk.ids.end();
    documents_.add(chunk.documents);
    ids_.add(chunk.ids);
    chunk.documents.clear();
    chunk.ids.clear();
  }
  std::uint64_t documents() const { return documents_.documents() + open_.size(); }
  void finish(SegmentInfo& info) {
    write(open_);
    info.documents = documents_.documents();
    info.text_bytes = documents_.text_bytes();
    info.greatest_rank = documents_.greatest_rank();
    info.files[kDocumentsFile] = documents_.finish();
    info.files[kIdsFile] = ids_.finish();
  }

 private:
  DocumentsWriter documents_;
  IdsWriter ids_;
  Chunk open_;
};

}  // namespace refrain::library
