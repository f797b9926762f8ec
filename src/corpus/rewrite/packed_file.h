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
#include "base/files/file.h"
#include "corpus/files/decompress.h"
#include "corpus/rewrite/gzip_blocks.h"

namespace refrain::corpus {

// One file at a time, and any number one after the other: buffers and encoders are kept between files. gzip at level 6,
// one member a file unless it is split; zstd at level 3, likewise one frame with a checksum; both on several cores. What
// is written depends on the bytes alone, not on threads, nor on how they were divided into calls.
//
// Throws what OutputFile throws. Not thread-safe.
class PackedFile {
 public:
  PackedFile(MemoryBudget& budget, unsigned threads);

  void open(const std::string& path, Packing packing);
  void write(std::string_view bytes);
  // What is written from here on can be unpacked without what was written before: a gzip member, a zstd frame.
  void split();
  // Not synced to the disk. Returns the bytes of the file.
  std::uint64_t close();

 private:
  struct EndZstd {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  void begin_part();
  void start_zstd();
  void pack_zstd(bool end);

  MemoryBudget& budget_;
  const unsigned threads_;
  Reservation reservation_;  // for zstd_
  std::optional<OutputFile> file_;
  Packing packing_ = Packing::none;
  bool in_part_ = false;  // a member or a frame has begun and not ended
  bool any_part_ = false;
  Array<char> plain_;  // for zstd_; always packed when it is full
  Array<char> packed_;
  std::optional<GzipBlocks> gzip_;
  std::unique_ptr<ZSTD_CCtx, EndZstd> zstd_;
};

}  // namespace refrain::corpus
