// The bytes of a file, whatever it was packed with: plain, gzip (any number of members), zstd (any number of frames), xz,
// bzip2 or lz4. The first bytes of the file tell which; its name is not asked.
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

// Stands in what is read where a damaged member ended; see ByteStream::pass_over_damage(). Ends any line, and is no text.
inline constexpr std::string_view kDamageMark{"\0\r\n\r\n", 5};

// One file at a time, and any number one after the other: buffers and decoders are kept between files.
//
// Damaged or truncated data is Error(bad_input); a zstd window of more than 128 MiB, and what this build has no decoder
// for, Error(unsupported).
// Not thread-safe.
class ByteStream {
 public:
  explicit ByteStream(MemoryBudget& budget);

  // A path, or "-". Throws what InputFile throws; `stop` ends waiting for a pipe.
  void open(const std::string& path, std::stop_token stop = {});

  // From here on damaged gzip data is no error: what could be unpacked is followed by kDamageMark, and reading goes on
  // with the next member. For archives whose records are members.
  void pass_over_damage() { pass_over_damage_ = true; }

  // From here on what is read is UTF-8, made of `charset`, or, where that is empty, of what a byte order mark tells.
  // Error(invalid_argument) where there is no such charset. Before the first read().
  void recode(const std::string& charset);
  bool recoded() const { return recoder_ != nullptr; }
  const std::string& charset() const { return charset_; }  // that it is made of, where it is recoded
  std::uint64_t replaced() const { return recoder_ ? recoder_->replaced() : 0; }  // characters that became U+FFFD

  // Gives back the file and all memory, before the next open().
  void close();

  // Fills `buffer`, with fewer bytes only at the end of the file. Returns how many.
  std::size_t read(char* buffer, std::size_t size);

  // Of the file that was opened last.
  Packing packing() const { return packing_; }

  // Bytes taken from the disk since the last call.
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
  std::size_t read_plain(char* buffer, std::size_t size);
  std::size_t read_gzip(char* buffer, std::size_t size);
  std::size_t read_zstd(char* buffer, std::size_t size);
  std::size_t read_rare(char* buffer, std::size_t size);
  void start_zstd();
  void count_memory();
  [[noreturn]] void refuse(const std::string& what) const;

  MemoryBudget& budget_;
  Reservation reservation_;
  InputFile file_;
  Packing packing_ = Packing::none;
  std::unique_ptr<char[]> packed_;  // what was read from the file and not yet decoded: [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool file_ended_ = false;
  bool inside_ = false;  // a gzip member, a zstd frame or another stream has begun and not ended
  bool pass_over_damage_ = false;
  bool seeking_ = false;          // behind damage, for the next member
  std::size_t member_begin_ = 0;  // in packed_, or 0 where it began before
  std::string_view mark_;         // what is still to be given of kDamageMark
  std::uint64_t consumed_ = 0;
  std::unique_ptr<z_stream, EndGzip> gzip_;
  std::unique_ptr<ZSTD_DCtx, EndZstd> zstd_;
  std::unique_ptr<Unpacker> rare_;  // of this file alone
  std::unique_ptr<Recoder> recoder_;
  std::string charset_;
  std::string ahead_;  // what was read, and converted, before it was asked for,
  std::size_t ahead_begin_ = 0;
};

}  // namespace refrain::corpus
