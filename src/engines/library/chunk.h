// Documents on their way into a segment: encoded some at a time, by any thread, and written in order.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/files/temp_space.h"
#include "engines/library/documents.h"
#include "engines/library/ids.h"
#include "engines/library/layout.h"
#include "engines/library/manifest.h"

namespace refrain::library {

// That are encoded at a time: whole groups, and whole blocks of ids.
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

  // One by one.
  void add(const NewDocument& document) {
    open_.add(document);
    if (open_.size() == kChunkDocuments) write(open_);
  }
  // A chunk that is full, or the last one, and is empty then. Not beside the other.
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
