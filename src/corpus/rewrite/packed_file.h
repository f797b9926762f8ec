// The other direction of decompress.h: a file that is packed as it is written.
#pragma once

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
#include "corpus/rewrite/packers.h"

namespace refrain::corpus {

// One file at a time, and any number one after the other: buffers and encoders are kept between files. gzip at level 6,
// one member a file unless it is split, on several cores; the others as make_packer() has them, likewise one frame or
// stream. What is written depends on the bytes alone, not on threads, nor on how they were divided into calls.
//
// Throws what OutputFile throws. Not thread-safe.
class PackedFile {
 public:
  PackedFile(MemoryBudget& budget, unsigned threads);

  void open(const std::string& path, Packing packing);
  void write(std::string_view bytes);
  // What is written from here on can be unpacked without what was written before: a gzip member, a frame, a stream.
  void split();
  // Not synced to the disk. Returns the bytes of the file.
  std::uint64_t close();

 private:
  void begin_part();
  void pack(bool end);

  MemoryBudget& budget_;
  const unsigned threads_;
  std::optional<OutputFile> file_;
  Packing packing_ = Packing::none;
  bool in_part_ = false;  // a member or a frame has begun and not ended
  bool any_part_ = false;
  Array<char> plain_;  // for packer_; always packed when it is full
  std::optional<GzipBlocks> gzip_;
  std::unique_ptr<Packer> packer_;
  Packing packer_of_ = Packing::none;
};

}  // namespace refrain::corpus
