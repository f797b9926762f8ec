#include "corpus/files/decompress.h"

#include <fmt/format.h>
#include <zstd_errors.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kPackedBytes = std::size_t{64} << 10;
constexpr std::size_t kRecodedBytes = std::size_t{32} << 10;  // bytes converted at a time
constexpr std::size_t kGzipBytes = std::size_t{48} << 10;     // what zlib allocates to inflate, rounded up
// A zstd decoder with a larger window is not kept for the next file.
constexpr std::size_t kKeptZstdBytes = std::size_t{4} << 20;
// The assumed memory of a decoder with a large window or dictionary before any text has filled it.
constexpr std::size_t kEmptyDecoderBytes = std::size_t{4} << 20;
constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr std::size_t kGzipHeader = 10;
// After damage, the search for a member goes back only while the bytes inflated more than once are at most this many
// times the bytes inflated so far.
constexpr std::uint64_t kMaxReinflatedFactor = 1;

bool is_gzip(std::string_view start) {
  return start.starts_with("\x1f\x8b\x08");
}

// Whether a gzip member may begin here: the fixed part of its header has only values that compressors write.
bool begins_member(std::string_view bytes) {
  if (bytes.size() < kGzipHeader || !is_gzip(bytes)) return false;
  const auto flags = static_cast<unsigned char>(bytes[3]);
  const auto effort = static_cast<unsigned char>(bytes[8]);
  const auto system = static_cast<unsigned char>(bytes[9]);
  return (flags & 0xE0U) == 0 && (effort == 0 || effort == 2 || effort == 4) && (system <= 13 || system == 255);
}

bool is_zstd(std::string_view start) {
  if (start.starts_with("\x28\xb5\x2f\xfd")) return true;
  // A skippable frame. Some parallel compressors begin with one.
  return start.size() >= 4 && (start[0] & 0xf0) == 0x50 && start.substr(1, 3) == "\x2a\x4d\x18";
}

}  // namespace

void ByteStream::EndGzip::operator()(z_stream* stream) const {
  inflateEnd(stream);
  delete stream;
}

ByteStream::ByteStream(MemoryBudget& budget) : budget_(budget) {}

void ByteStream::open(const std::string& path, std::stop_token stop) {
  if (!packed_) {
    reservation_ = budget_.reserve(kPackedBytes, "a buffer for reading");
    packed_ = std::make_unique_for_overwrite<char[]>(kPackedBytes);
  }
  file_ = InputFile(path, std::move(stop));
  recoder_.reset();
  ahead_.clear();
  ahead_begin_ = 0;
  begin_ = end_ = 0;
  file_ended_ = inside_ = seeking_ = false;
  mark_ = {};
  search_begin_ = 0;
  furthest_ = inflated_again_ = read_bytes_ = unpacked_bytes_ = 0;
  refill();
  const std::string_view start(packed_.get(), end_);
  packing_ = is_gzip(start) ? Packing::gzip : is_zstd(start) ? Packing::zstd : library_packing(start);
  unpacker_ = make_unpacker(packing_);
  if (!unpacker_ && packing_ != Packing::none && packing_ != Packing::gzip && packing_ != Packing::zstd)
    throw Error(Errc::unsupported,
                fmt::format("{0}: packed with {1}, which this build cannot read; unpack it first, or "
                            "build with the {1} library",
                            path, packing_name(packing_)));
  if (packing_ == Packing::zstd) start_zstd();
  if (packing_ == Packing::gzip && !gzip_) {
    auto stream = std::make_unique<z_stream>();
    if (inflateInit2(stream.get(), kGzipOnly) != Z_OK) throw std::bad_alloc();
    gzip_.reset(stream.release());
  }
  count_memory();
}

void ByteStream::close() {
  file_ = InputFile();
  packed_.reset();
  gzip_.reset();
  zstd_.reset();
  unpacker_.reset();
  reservation_.release();
}

void ByteStream::start_zstd() {
  if (zstd_ && ZSTD_sizeof_DCtx(zstd_.get()) > kKeptZstdBytes) zstd_.reset();
  if (!zstd_) zstd_.reset(ZSTD_createDCtx());
  if (!zstd_) throw std::bad_alloc();
  ZSTD_DCtx_reset(zstd_.get(), ZSTD_reset_session_only);
}

std::size_t ByteStream::decoder_bytes() const {
  return (zstd_ ? ZSTD_sizeof_DCtx(zstd_.get()) : 0) + (unpacker_ ? unpacker_->memory() : 0);
}

// A window or dictionary is allocated by the call that reads a header, but its pages become resident only as text
// passes through, so counting it right after that call is early enough. A window that does not fit in the budget is
// counted as it fills up, so that a small file cannot end a run by announcing a large window.
void ByteStream::count_memory() {
  const std::size_t others = kPackedBytes + (gzip_ ? kGzipBytes : 0) + (recoder_ ? 4 * kRecodedBytes : 0);
  const std::size_t bytes = others + decoder_bytes();
  if (bytes == reservation_.bytes()) return;
  const std::string what = fmt::format("decompressing {}", file_.path());
  if (bytes < reservation_.bytes() || bytes - reservation_.bytes() <= budget_.available()) try {
      return reservation_.resize(bytes, what);
    } catch (const Error&) {
      // Another thread reserved the memory first.
    }
  const std::uint64_t filled = others + kEmptyDecoderBytes + unpacked_bytes_;
  if (filled > reservation_.bytes()) reservation_.resize(std::min<std::uint64_t>(bytes, filled), what);
}

std::uint64_t ByteStream::take_consumed() {
  return std::exchange(consumed_, 0);
}

void ByteStream::refuse(const std::string& what) const {
  throw Error(Errc::bad_input, fmt::format("{}: {}; download or create the file again", file_.path(), what));
}

// True if there are packed bytes to decode.
bool ByteStream::refill() {
  if (begin_ < end_) return true;
  if (file_ended_) return false;
  begin_ = end_ = search_begin_ = 0;
  end_ = file_.read(packed_.get(), kPackedBytes);
  file_ended_ = end_ < kPackedBytes;
  consumed_ += end_;
  read_bytes_ += end_;
  return end_ > 0;
}

void ByteStream::recode(const std::string& charset) {
  std::string start(kRecodedBytes, '\0');
  start.resize(read_unpacked(start.data(), start.size()));
  const std::string found = charset.empty() ? marked_charset(start) : charset;
  if (found.empty() || is_utf8(found)) {
    ahead_ = std::move(start);
    return;
  }
  recoder_ = std::make_unique<Recoder>(found);
  charset_ = found;
  recoder_->recode(start, start.size() < kRecodedBytes, ahead_);
}

std::size_t ByteStream::read(char* buffer, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const std::size_t taken = ahead_.copy(buffer + done, size - done, ahead_begin_);
    ahead_begin_ += taken;
    done += taken;
    if (done == size) break;
    ahead_.clear();
    ahead_begin_ = 0;
    if (!recoder_) return done + read_unpacked(buffer + done, size - done);
    std::string bytes(kRecodedBytes, '\0');
    bytes.resize(read_unpacked(bytes.data(), bytes.size()));
    recoder_->recode(bytes, bytes.size() < kRecodedBytes, ahead_);
    if (ahead_.empty() && bytes.size() < kRecodedBytes) break;
  }
  return done;
}

std::size_t ByteStream::read_unpacked(char* buffer, std::size_t size) {
  switch (packing_) {
    case Packing::gzip:
      return read_gzip(buffer, size);
    case Packing::zstd:
      return read_zstd(buffer, size);
    case Packing::none:
      return read_plain(buffer, size);
    default:
      return read_with_unpacker(buffer, size);
  }
}

std::size_t ByteStream::read_plain(char* buffer, std::size_t size) {
  const std::size_t ready = std::min(size, end_ - begin_);
  std::memcpy(buffer, packed_.get() + begin_, ready);
  begin_ += ready;
  if (ready == size || file_ended_) return ready;
  const std::size_t got = file_.read(buffer + ready, size - ready);
  file_ended_ = got < size - ready;
  consumed_ += got;
  return ready + got;
}

std::size_t ByteStream::read_gzip(char* buffer, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    if (!mark_.empty()) {
      const std::size_t given = mark_.copy(buffer + done, size - done);
      mark_.remove_prefix(given);
      done += given;
      continue;
    }
    if (seeking_ && !seek_member()) break;
    if (!refill()) {
      if (!inside_) break;
      damage("truncated gzip data");
      continue;
    }
    if (!inside_) {
      // Zeros may pad the file between members, as tapes and archives do.
      if (packed_[begin_] == 0) {
        ++begin_;
        continue;
      }
      search_begin_ = begin_ + 1;
      if (packed_[begin_] != '\x1f') {
        damage("other data after the gzip data");
        continue;
      }
      inflateReset(gzip_.get());
      inside_ = true;
    }
    const std::size_t room = std::min<std::size_t>(size - done, UINT_MAX);
    gzip_->next_in = reinterpret_cast<Bytef*>(packed_.get() + begin_);
    gzip_->avail_in = static_cast<uInt>(end_ - begin_);
    gzip_->next_out = reinterpret_cast<Bytef*>(buffer + done);
    gzip_->avail_out = static_cast<uInt>(room);
    const std::uint64_t from = position();
    const int status = inflate(gzip_.get(), Z_NO_FLUSH);
    begin_ = end_ - gzip_->avail_in;
    if (from < furthest_) inflated_again_ += std::min(position(), furthest_) - from;
    furthest_ = std::max(furthest_, position());
    done += room - gzip_->avail_out;
    if (status == Z_STREAM_END)
      inside_ = false;
    else if (status == Z_MEM_ERROR)
      throw std::bad_alloc();
    else if (status != Z_OK && status != Z_BUF_ERROR)
      damage(fmt::format("damaged gzip data ({})", gzip_->msg != nullptr ? gzip_->msg : "bad header"));
  }
  return done;
}

// Unless damage is passed over, this throws. A truncated member may have consumed the beginning of the next one, so
// the search restarts right after the beginning of the current member, as far back as the buffer reaches. The number
// of bytes inflated again is limited, because a file may consist of bytes that look like members.
void ByteStream::damage(const std::string& what) {
  if (!skip_damage_) refuse(what);
  if (inflated_again_ <= kMaxReinflatedFactor * furthest_) begin_ = std::min(search_begin_, end_);
  inside_ = false;
  seeking_ = true;
  mark_ = kDamageMark;
}

// Advances to what looks like the beginning of a gzip member. False if there is none.
bool ByteStream::seek_member() {
  while (refill()) {
    const auto* const found = static_cast<const char*>(std::memchr(packed_.get() + begin_, '\x1f', end_ - begin_));
    begin_ = found == nullptr ? end_ : static_cast<std::size_t>(found - packed_.get());
    if (found == nullptr) continue;
    if (end_ - begin_ < kGzipHeader && !file_ended_) {
      std::memmove(packed_.get(), packed_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
      const std::size_t got = file_.read(packed_.get() + end_, kPackedBytes - end_);
      file_ended_ = got < kPackedBytes - end_;
      end_ += got;
      consumed_ += got;
      read_bytes_ += got;
    }
    if (begins_member({packed_.get() + begin_, end_ - begin_})) {
      seeking_ = false;
      return true;
    }
    ++begin_;
  }
  return false;
}

std::size_t ByteStream::read_zstd(char* buffer, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const bool more = refill();
    if (!more && !inside_) break;
    ZSTD_inBuffer in{packed_.get() + begin_, end_ - begin_, 0};
    ZSTD_outBuffer out{buffer + done, size - done, 0};
    const std::size_t status = ZSTD_decompressStream(zstd_.get(), &out, &in);
    if (ZSTD_isError(status) != 0) {
      if (ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge)
        throw Error(
            Errc::unsupported,
            fmt::format("{}: zstd window larger than 128 MiB; recompress it with --long=27 or less", file_.path()));
      refuse(fmt::format("damaged zstd data ({})", ZSTD_getErrorName(status)));
    }
    begin_ += in.pos;
    done += out.pos;
    unpacked_bytes_ += out.pos;
    count_memory();
    inside_ = status != 0;
    // Without input the decoder can only return what it still holds.
    if (!more && inside_ && out.pos == 0) refuse("truncated zstd data");
  }
  return done;
}

std::size_t ByteStream::read_with_unpacker(char* buffer, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const bool more = refill();
    if (!more && !inside_) break;
    const Unpacker::Step step =
        unpacker_->unpack({packed_.get() + begin_, end_ - begin_}, file_ended_, buffer + done, size - done);
    if (!step.damage.empty()) refuse(step.damage);
    if (!step.unsupported.empty())
      throw Error(Errc::unsupported, fmt::format("{}: {}", file_.path(), step.unsupported));
    begin_ += step.taken;
    done += step.given;
    unpacked_bytes_ += step.given;
    count_memory();
    inside_ = step.inside;
    if (step.taken == 0 && step.given == 0 && inside_)
      refuse(fmt::format("{} {} data", more ? "damaged" : "truncated", packing_name(packing_)));
  }
  return done;
}

}  // namespace refrain::corpus
