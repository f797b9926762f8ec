// ids.bin: the ids of the documents of a segment, in compressed blocks (format.h).
#pragma once

#include <zstd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/library/format.h"
#include "store/page_file.h"
#include "store/segments/numbers.h"

namespace refrain::library {

// Compresses ids in blocks. Not thread-safe.
class IdBlocks {
 public:
  IdBlocks();

  void clear();
  // The first id after construction or clear() begins a block.
  void add(std::string_view id);
  // Ends the last block. Nothing may be added after it, until clear().
  void end();

  const std::string& bytes() const { return bytes_; }
  const std::vector<std::uint64_t>& begins() const { return begins_; }  // where each block begins in bytes()
  std::uint64_t documents() const { return documents_; }

 private:
  struct EndPacker {
    void operator()(ZSTD_CCtx* packer) const { ZSTD_freeCCtx(packer); }
  };
  void end_block();

  std::string bytes_;
  std::vector<std::uint64_t> begins_;
  std::string sizes_;
  std::string ids_;
  std::string packed_;
  std::unique_ptr<ZSTD_CCtx, EndPacker> packer_;
  std::uint64_t documents_ = 0;
};

// Not thread-safe.
class IdsWriter {
 public:
  IdsWriter(const std::filesystem::path& folder, TempSpace& temp);

  // Every block must be full, except the last one of the file.
  void add(const IdBlocks& blocks);
  store::PageFileId finish();

 private:
  store::PageWriter out_;
  store::NumbersWriter blocks_;
  std::uint64_t documents_ = 0;
};

// Not thread-safe; each thread needs a copy of its own.
class IdsReader {
 public:
  IdsReader(const std::filesystem::path& folder, const store::PageFileId& id, std::uint64_t documents);
  IdsReader(const IdsReader& other) = default;

  // The result is valid until the next call.
  std::string_view id(std::uint64_t document);
  std::uint64_t bytes_read() const { return file_.bytes_read() + blocks_.bytes_read(); }
  store::PageReader& file() { return file_; }

 private:
  void load(std::uint64_t block);

  store::PageReader file_;
  std::uint64_t documents_;
  store::NumbersReader blocks_;
  std::uint64_t loaded_;  // the block in block_
  std::string packed_;
  std::string block_;
  std::vector<std::size_t> ends_;  // where the first id in block_ begins, then where each id ends
};

}  // namespace refrain::library
