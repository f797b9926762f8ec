// Reads the bytes of a file, unpacking it if it is packed: plain, gzip (any number of members), zstd (any number of
// frames), xz, bzip2 or lz4. The first bytes of the file determine the packing; its name is ignored.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/files/file.h"
#include "corpus/files/unpackers.h"
#include "corpus/formats/charset.h"

namespace refrain::corpus {

// Marks in the output where a damaged member ended; see ByteStream::skip_damage(). It ends any line and is not
// valid text.
inline constexpr std::string_view kDamageMark{"\0\r\n\r\n", 5};

// Reads one file at a time. Any number of files may be read in succession: buffers and decoders are kept between files.
//
// Damaged or truncated data throws Error(bad_input). A zstd window or an xz dictionary of more than 128 MiB, or a
// packing that this build has no decoder for, throws Error(unsupported). Not thread-safe.
class ByteStream {
 public:
  explicit ByteStream(MemoryBudget& budget);

  // Opens a path, or standard input if `path` is "-". Throws what InputFile throws; `stop` interrupts waiting for a
  // pipe.
  void open(const std::string& path, std::stop_token stop = {});

  // After this call, damaged gzip data is not an error: the data that could be unpacked is followed by kDamageMark,
  // and reading continues with the next member. Intended for web archives, whose records are gzip members. The time
  // stays proportional to the size of the file.
  void skip_damage() { skip_damage_ = true; }

  // After this call, read() returns UTF-8, converted from `charset` or, if that is empty, from the charset that a byte
  // order mark names. Throws Error(invalid_argument) if the charset is unknown. Must be called before the first read().
  void recode(const std::string& charset);
  bool recoded() const { return recoder_ != nullptr; }
  const std::string& charset() const { return charset_; }  // the original charset, if the file is converted
  std::uint64_t replaced() const { return recoder_ ? recoder_->replaced() : 0; }  // characters that became U+FFFD

  // Releases the file and all memory. open() may be called again.
  void close();

  // Fills `buffer` and returns the number of bytes read, which is less than `size` only at the end of the file.
  std::size_t read(char* buffer, std::size_t size);

  // The packing of the file that was opened last.
  Packing packing() const { return packing_; }

  // Returns the number of bytes read from disk since the last call.
  std::uint64_t take_consumed();

 private:
  struct EndGzip {
    void operator()(z_stream* stream) const;
  };
  struct EndZstd {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  std::size_t read_unpacked(char* buffer, std::size_t size);
  bool refill();
  void damage(const std::string& what);
  bool seek_member();
  std::uint64_t position() const { return read_bytes_ - (end_ - begin_); }  // the offset of packed_[begin_] in the file
  std::size_t read_plain(char* buffer, std::size_t size);
  std::size_t read_gzip(char* buffer, std::size_t size);
  std::size_t read_zstd(char* buffer, std::size_t size);
  std::size_t read_with_unpacker(char* buffer, std::size_t size);
  void start_zstd();
  std::size_t decoder_bytes() const;
  void count_memory();
  [[noreturn]] void refuse(const std::string& what) const;

  MemoryBudget& budget_;
  Reservation reservation_;
  InputFile file_;
  Packing packing_ = Packing::none;
  std::unique_ptr<char[]> packed_;  // bytes read from the file and not yet decoded: [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool file_ended_ = false;
  bool inside_ = false;  // a gzip member, a zstd frame or another stream has begun and not ended
  bool skip_damage_ = false;
  bool seeking_ = false;              // searching for the next member, after damage
  std::size_t search_begin_ = 0;      // in packed_: where that search begins if the current member is damaged
  std::uint64_t furthest_ = 0;        // how far the file has been inflated; bytes before it are inflated again
  std::uint64_t inflated_again_ = 0;  // bytes of the file that were inflated more than once, in total
  std::string_view mark_;             // the part of kDamageMark that is still to be returned
  std::uint64_t read_bytes_ = 0;      // of the file so far
  std::uint64_t unpacked_bytes_ = 0;  // of the file so far
  std::uint64_t consumed_ = 0;
  std::unique_ptr<z_stream, EndGzip> gzip_;
  std::unique_ptr<ZSTD_DCtx, EndZstd> zstd_;
  std::unique_ptr<Unpacker> unpacker_;  // decoder of xz, bzip2 or lz4, made for this file only
  std::unique_ptr<Recoder> recoder_;
  std::string charset_;
  std::string ahead_;  // bytes that were read, and converted, before the caller asked for them
  std::size_t ahead_begin_ = 0;
};

}  // namespace refrain::corpus
