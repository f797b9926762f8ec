// Files that are compressed as they are written: the inverse of corpus/files/decompress.h.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/file.h"
#include "corpus/files/decompress.h"
#include "corpus/files/unpackers.h"

namespace refrain::corpus {

// The inverse of corpus/files/unpackers.h, and of the zstd decoder: encoders for compressed output.
//
// Encodes one stream after the other. The output depends only on the input bytes, as long as they are passed to
// pack() in parts of the same sizes. Not thread-safe.
class Packer {
 public:
  using Sink = std::function<void(std::string_view)>;

  Packer() = default;
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  virtual ~Packer() = default;
  // `end`: ends the stream; the next call begins another one.
  virtual void pack(std::string_view plain, bool end, const Sink& sink) = 0;
};

// Makes an encoder for zstd (level 3, with a checksum), xz (preset 2), bzip2 (level 9) or lz4 (with a checksum); zstd
// and xz use several cores. Memory comes from the budget. Throws Error(unsupported) if this build has no encoder for
// `packing`.
std::unique_ptr<Packer> make_packer(Packing packing, unsigned threads, MemoryBudget& budget);

// Compresses gzip on several cores, like pigz: blocks of a fixed size are compressed in parallel, each with the end
// of the previous block as its dictionary, and joined into one member. Compression is an order of magnitude slower
// than everything else that a rewriter does in input order.
//
// Compresses one file after the other, at level 6. The output depends only on the input bytes, not on threads or the
// division into calls. Only one call at a time.
class GzipBlocks {
 public:
  using Sink = std::function<void(std::string_view)>;

  static constexpr std::size_t kThreadBytes = std::size_t{600} << 10;

  // Compressed bytes go to `sink`. Reserves the memory, up to kThreadBytes per thread.
  GzipBlocks(MemoryBudget& budget, unsigned threads, Sink sink);

  void begin();
  void write(std::string_view bytes);
  void end();

 private:
  struct EndDeflate {
    void operator()(z_stream* stream) const;
  };
  struct Lane {
    std::unique_ptr<z_stream, EndDeflate> stream;
    Array<char> packed;
    std::size_t packed_bytes = 0;
    uLong checksum = 0;
  };

  void pack(bool end);
  void pack_block(Lane& lane, std::size_t begin, std::size_t size, bool last);

  const Sink sink_;
  Reservation reservation_;
  std::vector<Lane> lanes_;
  Array<char> plain_;          // the last bytes written, as a dictionary, followed by bytes to compress
  std::size_t packed_to_ = 0;  // in plain_
  std::size_t plain_end_ = 0;
  uLong checksum_ = 0;
  std::uint64_t bytes_ = 0;
};

// The inverse of decompress.h: a file that is compressed as it is written.
//
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
