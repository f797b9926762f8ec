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
constexpr std::size_t kRecodedBytes = std::size_t{32} << 10;  // at a time
constexpr std::size_t kGzipBytes = std::size_t{48} << 10;     // what zlib takes to inflate, rounded up
// A zstd decoder with a larger window is not kept for the next file.
constexpr std::size_t kKeptZstdBytes = std::size_t{4} << 20;
constexpr int kGzipOnly = 16 + MAX_WBITS;

bool is_gzip(std::string_view start) {
  return start.starts_with("\x1f\x8b\x08");
}

bool is_zstd(std::string_view start) {
  if (start.starts_with("\x28\xb5\x2f\xfd")) return true;
  // A skippable frame, with which some parallel compressors begin.
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
  member_begin_ = 0;
  refill();
  const std::string_view start(packed_.get(), end_);
  packing_ = is_gzip(start) ? Packing::gzip : is_zstd(start) ? Packing::zstd : rare_packing(start);
  rare_ = make_unpacker(packing_);
  if (!rare_ && packing_ != Packing::none && packing_ != Packing::gzip && packing_ != Packing::zstd)
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
  rare_.reset();
  reservation_.release();
}

void ByteStream::start_zstd() {
  if (zstd_ && ZSTD_sizeof_DCtx(zstd_.get()) > kKeptZstdBytes) zstd_.reset();
  if (!zstd_) zstd_.reset(ZSTD_createDCtx());
  if (!zstd_) throw std::bad_alloc();
  ZSTD_DCtx_reset(zstd_.get(), ZSTD_reset_session_only);
}

// A zstd window is allocated by the call that reads a frame's header, but its pages become resident only as text passes
// through; so counting it right after that call is still in time.
void ByteStream::count_memory() {
  const std::size_t bytes = kPackedBytes + (gzip_ ? kGzipBytes : 0) + (zstd_ ? ZSTD_sizeof_DCtx(zstd_.get()) : 0) +
                            (rare_ ? rare_->memory() : 0) + (recoder_ ? 4 * kRecodedBytes : 0);
  if (bytes != reservation_.bytes()) reservation_.resize(bytes, fmt::format("decompressing {}", file_.path()));
}

std::uint64_t ByteStream::take_consumed() {
  return std::exchange(consumed_, 0);
}

void ByteStream::refuse(const std::string& what) const {
  throw Error(Errc::bad_input, fmt::format("{}: {}; download or create the file again", file_.path(), what));
}

// True where there are packed bytes to decode.
bool ByteStream::refill() {
  if (begin_ < end_) return true;
  if (file_ended_) return false;
  begin_ = end_ = member_begin_ = 0;
  end_ = file_.read(packed_.get(), kPackedBytes);
  file_ended_ = end_ < kPackedBytes;
  consumed_ += end_;
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
      return read_rare(buffer, size);
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
      // Between members; tapes and archives pad with zeros.
      if (packed_[begin_] == 0) {
        ++begin_;
        continue;
      }
      if (packed_[begin_] != '\x1f') {
        member_begin_ = begin_;
        damage("other data after the gzip data");
        continue;
      }
      member_begin_ = begin_;
      inflateReset(gzip_.get());
      inside_ = true;
    }
    const std::size_t room = std::min<std::size_t>(size - done, UINT_MAX);
    gzip_->next_in = reinterpret_cast<Bytef*>(packed_.get() + begin_);
    gzip_->avail_in = static_cast<uInt>(end_ - begin_);
    gzip_->next_out = reinterpret_cast<Bytef*>(buffer + done);
    gzip_->avail_out = static_cast<uInt>(room);
    const int status = inflate(gzip_.get(), Z_NO_FLUSH);
    begin_ = end_ - gzip_->avail_in;
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

// Where damage is not passed over, that is the end. A member that was cut off may have swallowed the next, so that one is
// looked for from where this one began, as far back as there are bytes.
void ByteStream::damage(const std::string& what) {
  if (!pass_over_damage_) refuse(what);
  begin_ = std::min(member_begin_ + 1, end_);
  member_begin_ = 0;
  inside_ = false;
  seeking_ = true;
  mark_ = kDamageMark;
}

// Goes on to what looks like the beginning of a gzip member; false where there is none.
bool ByteStream::seek_member() {
  while (refill()) {
    const auto* const found = static_cast<const char*>(std::memchr(packed_.get() + begin_, '\x1f', end_ - begin_));
    begin_ = found == nullptr ? end_ : static_cast<std::size_t>(found - packed_.get());
    if (found == nullptr) continue;
    if (end_ - begin_ < 4 && !file_ended_) {
      std::memmove(packed_.get(), packed_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
      const std::size_t got = file_.read(packed_.get() + end_, kPackedBytes - end_);
      file_ended_ = got < kPackedBytes - end_;
      end_ += got;
      consumed_ += got;
    }
    const std::string_view here(packed_.get() + begin_, end_ - begin_);
    if (here.size() >= 4 && is_gzip(here) && (static_cast<unsigned char>(here[3]) & 0xE0U) == 0) {
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
    count_memory();
    begin_ += in.pos;
    done += out.pos;
    inside_ = status != 0;
    // Without input the decoder can only give what it still holds.
    if (!more && inside_ && out.pos == 0) refuse("truncated zstd data");
  }
  return done;
}

std::size_t ByteStream::read_rare(char* buffer, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const bool more = refill();
    if (!more && !inside_) break;
    const Unpacker::Step step =
        rare_->unpack({packed_.get() + begin_, end_ - begin_}, file_ended_, buffer + done, size - done);
    if (!step.damage.empty()) refuse(step.damage);
    count_memory();
    begin_ += step.taken;
    done += step.given;
    inside_ = step.inside;
    if (step.taken == 0 && step.given == 0 && inside_)
      refuse(fmt::format("{} {} data", more ? "damaged" : "truncated", packing_name(packing_)));
  }
  return done;
}

}  // namespace refrain::corpus
