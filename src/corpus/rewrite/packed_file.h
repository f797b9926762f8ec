// The inverse of decompress.h: a file that is compressed as it is written.
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

// Writes one file at a time. Any number of files may be written in succession: buffers and encoders are kept between
// files. gzip is compressed at level 6 on several cores, as one member unless it is split; other formats by
// make_packer(), likewise as one frame or stream. The output depends only on the input bytes, not on threads or the
// division into calls.
//
// Throws what OutputFile throws. Not thread-safe.
class PackedFile {
 public:
  PackedFile(MemoryBudget& budget, unsigned threads);

  void open(const std::string& path, Packing packing);
  void write(std::string_view bytes);
  // Starts a gzip member, frame or stream, so that what follows can be decompressed without what was written before.
  void split();
  // Does not sync to disk. Returns the size of the file in bytes.
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
  Array<char> plain_;  // for packer_; always compressed when it is full
  std::optional<GzipBlocks> gzip_;
  std::unique_ptr<Packer> packer_;
  Packing packer_of_ = Packing::none;
};

}  // namespace refrain::corpus
