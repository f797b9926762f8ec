// The other direction of decompress.h: a file that is packed as it is written.
#pragma once

#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "base/file.h"
#include "corpus/decompress.h"
#include "corpus/gzip_blocks.h"

namespace refrain {

// One file at a time, and any number one after the other: buffers and encoders are kept between files. gzip at level 6,
// one member a file, on several cores; zstd at level 3, one frame with a checksum a file. What is written depends on
// the bytes alone, not on how they were divided into calls.
//
// Throws what OutputFile throws. Not thread-safe.
class PackedFile {
 public:
  PackedFile(MemoryBudget& budget, unsigned threads);

  void open(const std::string& path, Packing packing);
  void write(std::string_view bytes);
  // Not synced to the disk. Returns the bytes of the file.
  std::uint64_t close();

 private:
  struct EndZstd {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  void start_zstd();
  void pack_zstd(bool end);

  MemoryBudget& budget_;
  const unsigned threads_;
  Reservation reservation_;  // for zstd_
  std::optional<OutputFile> file_;
  Packing packing_ = Packing::none;
  Array<char> plain_;  // for zstd_; always packed when it is full
  Array<char> packed_;
  std::optional<GzipBlocks> gzip_;
  std::unique_ptr<ZSTD_CCtx, EndZstd> zstd_;
};

}  // namespace refrain
