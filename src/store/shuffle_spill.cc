#include "store/shuffle_spill.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "refrain/error.h"

namespace refrain::store {

namespace {

constexpr std::uint32_t kMagic = 0x4D524652;  // "RFRM"
constexpr int kLevel = 1;
constexpr std::size_t kOutFrames = 4;  // that are written to the file at once

// The memory that zstd takes, measured for frames of 64 KiB: 304,032 and 95,992 bytes.
constexpr std::size_t kCompressorBytes = std::size_t{320} << 10;
constexpr std::size_t kDecompressorBytes = std::size_t{128} << 10;

enum class Codec : std::uint32_t { plain = 0, columns = 1 };

struct Header {
  std::uint64_t checksum;
  std::uint32_t magic;
  Codec codec;
  std::uint32_t raw_bytes;
  std::uint32_t stored_bytes;
};
static_assert(sizeof(Header) == kFrameHeaderBytes);

std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Whether a column is not worth compressing, judged by a sample: its bytes are evenly distributed, like those of
// hashes.
bool is_noise(std::span<const std::byte> records, std::size_t record_bytes, std::size_t column) {
  constexpr std::size_t kSample = 256;
  constexpr unsigned kMaxNoiseSum =
      640;  // the expected sum of squared counts of kSample even bytes is 511; of 7-bit bytes
            // 766
  const std::size_t count = records.size() / record_bytes;
  if (count < kSample) return false;
  std::array<std::uint16_t, 256> seen{};
  unsigned squares = 0;
  for (std::size_t i = 0; i < kSample; ++i) {
    std::uint16_t& times = seen[std::to_integer<std::size_t>(records[i * count / kSample * record_bytes + column])];
    squares += 2U * times++ + 1;  // (t + 1)^2 - t^2
  }
  return squares < kMaxNoiseSum;
}

// Turns records into columns: first a byte per column, 1 if it is noise, then the columns of noise, then the others,
// compressed by zstd. Returns the size, or 0 if it would not be smaller than the records.
std::size_t compress(ZSTD_CCtx* zstd, std::span<const std::byte> records, std::size_t record_bytes, std::byte* columns,
                     std::byte* to) {
  const std::size_t count = records.size() / record_bytes;
  if (records.size() <= record_bytes) return 0;
  std::byte* out = to + record_bytes;
  std::byte* packed = columns;
  for (std::size_t b = 0; b < record_bytes; ++b) {
    const bool noise = is_noise(records, record_bytes, b);
    to[b] = std::byte{noise};
    std::byte* const column = noise ? out : packed;
    // If all columns are noise, there is no room for the flags: give up at the last column at the latest.
    if (noise && static_cast<std::size_t>(out - to) + count > records.size() - 1) return 0;
    for (std::size_t i = 0; i < count; ++i) column[i] = records[i * record_bytes + b];
    (noise ? out : packed) += count;
  }
  const auto used = static_cast<std::size_t>(out - to);
  const std::size_t size = ZSTD_compressCCtx(zstd, out, records.size() - 1 - used, columns,
                                             static_cast<std::size_t>(packed - columns), kLevel);
  return ZSTD_isError(size) != 0 ? 0 : used + size;
}

// Returns false if the payload is not a result of compress() with this many bytes of records.
bool decompress(ZSTD_DCtx* zstd, std::span<const std::byte> payload, std::size_t record_bytes,
                std::span<std::byte> columns, std::span<std::byte> records) {
  const std::size_t count = records.size() / record_bytes;
  if (payload.size() < record_bytes || records.size() > columns.size()) return false;
  std::size_t noisy = 0;
  for (std::size_t b = 0; b < record_bytes; ++b) noisy += payload[b] != std::byte{0} ? count : 0;
  if (noisy > payload.size() - record_bytes) return false;
  const std::byte* noise = payload.data() + record_bytes;
  const std::span<const std::byte> pause_writing = payload.subspan(record_bytes + noisy);
  const std::byte* packed = columns.data();
  if (ZSTD_decompressDCtx(zstd, columns.data(), columns.size(), pause_writing.data(), pause_writing.size()) !=
      records.size() - noisy)
    return false;
  for (std::size_t b = 0; b < record_bytes; ++b) {
    const std::byte*& from = payload[b] != std::byte{0} ? noise : packed;
    for (std::size_t i = 0; i < count; ++i) records[i * record_bytes + b] = from[i];
    from += count;
  }
  return true;
}

}  // namespace

double compressed_fraction(const FrameFormat& format, std::span<const std::byte> records) {
  if (records.empty()) return 1;
  std::vector<std::byte> columns(format.frame_bytes);
  std::vector<std::byte> to(format.frame_bytes);
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> zstd(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (zstd == nullptr) return 1;  // out of memory: nothing is compressed
  std::size_t stored = 0;
  for (std::span<const std::byte> left = records; !left.empty();) {
    const std::span<const std::byte> frame = left.first(std::min(left.size(), format.frame_bytes));
    const std::size_t size = compress(zstd.get(), frame, format.record_bytes, columns.data(), to.data());
    stored += size == 0 ? frame.size() : size;
    left = left.subspan(frame.size());
  }
  return static_cast<double>(stored) / static_cast<double>(records.size());
}

void FrameWriter::Free::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

FrameWriter::FrameWriter(TempFile& file, const FrameFormat& format, std::span<std::byte> room)
    : file_(&file),
      format_(format),
      raw_(room.first(format.frame_bytes)),
      columns_(room.subspan(format.frame_bytes, format.compress ? format.frame_bytes : 0)),
      out_(room.subspan(raw_.size() + columns_.size(), kOutFrames * (format.frame_bytes + kFrameHeaderBytes))),
      flushed_(file.size()),
      zstd_(format.compress ? ZSTD_createCCtx() : nullptr) {}

FrameWriter::FrameWriter(FrameWriter&&) noexcept = default;
FrameWriter::~FrameWriter() = default;

std::size_t FrameWriter::room_bytes(const FrameFormat& format) {
  return format.frame_bytes + kOutFrames * (format.frame_bytes + kFrameHeaderBytes) +
         (format.compress ? format.frame_bytes + kCompressorBytes : 0);
}

void FrameWriter::add(std::span<const std::byte> records) {
  while (!records.empty()) {
    const std::size_t size = std::min(records.size(), raw_.size() - raw_used_);
    std::memcpy(raw_.data() + raw_used_, records.data(), size);
    raw_used_ += size;
    records = records.subspan(size);
    if (raw_used_ == raw_.size()) write_frame();
  }
}

std::uint64_t FrameWriter::cut() {
  if (raw_used_ != 0) write_frame();
  return flushed_ + out_used_;
}

void FrameWriter::write_frame() {
  if (out_.size() - out_used_ < kFrameHeaderBytes + raw_used_) flush();
  std::byte* const at = out_.data() + out_used_;
  std::byte* const payload = at + kFrameHeaderBytes;
  const std::span<const std::byte> raw = raw_.first(raw_used_);
  std::size_t stored = 0;
  if (zstd_) stored = compress(zstd_.get(), raw, format_.record_bytes, columns_.data(), payload);
  const Codec codec = stored == 0 ? Codec::plain : Codec::columns;
  if (codec == Codec::plain) {
    stored = raw.size();
    std::memcpy(payload, raw.data(), raw.size());
  }
  Header header{0, kMagic, codec, static_cast<std::uint32_t>(raw.size()), static_cast<std::uint32_t>(stored)};
  std::memcpy(at, &header, sizeof header);
  header.checksum = checksum(text({at + sizeof header.checksum, sizeof header - sizeof header.checksum + stored}));
  std::memcpy(at, &header, sizeof header);
  out_used_ += sizeof header + stored;
  raw_used_ = 0;
}

void FrameWriter::flush() {
  if (out_used_ == 0) return;
  file_->append(text(out_.first(out_used_)));
  flushed_ += out_used_;
  out_used_ = 0;
}

void FrameReader::Free::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

FrameReader::FrameReader(const FrameFormat& format, std::span<std::byte> room)
    : format_(format),
      stored_(room.first(format.frame_bytes + kFrameHeaderBytes)),
      columns_(room.subspan(stored_.size(), format.compress ? format.frame_bytes : 0)),
      zstd_(format.compress ? ZSTD_createDCtx() : nullptr) {
  if (format.compress && zstd_ == nullptr) throw std::bad_alloc();
}

FrameReader::FrameReader(FrameReader&&) noexcept = default;
FrameReader::~FrameReader() = default;

std::size_t FrameReader::room_bytes(const FrameFormat& format) {
  return format.frame_bytes + kFrameHeaderBytes + (format.compress ? format.frame_bytes + kDecompressorBytes : 0);
}

std::size_t FrameReader::next(const TempFile& file, FrameRegion& region, std::span<std::byte> to) {
  const auto corrupt = [&] {
    return Error(Errc::corrupt, fmt::format("a temporary file differs from what was written (at byte {}); check the "
                                            "disk, or choose another with `temp_dir`",
                                            region.begin));
  };
  const std::size_t there = std::min<std::uint64_t>(region.end - region.begin, stored_.size());
  if (there < sizeof(Header)) throw corrupt();
  file.read(region.begin, {reinterpret_cast<char*>(stored_.data()), there});
  Header header{};
  std::memcpy(&header, stored_.data(), sizeof header);
  if (header.magic != kMagic || header.stored_bytes > there - sizeof header) throw corrupt();
  const std::span<const std::byte> frame = stored_.first(sizeof header + header.stored_bytes);
  if (checksum(text(frame.subspan(sizeof header.checksum))) != header.checksum) throw corrupt();
  if (header.raw_bytes > to.size()) throw corrupt();
  const std::span<const std::byte> payload = frame.subspan(sizeof header);
  if (header.codec == Codec::plain) {
    if (payload.size() != header.raw_bytes) throw corrupt();
    std::memcpy(to.data(), payload.data(), payload.size());
  } else {
    if (!decompress(zstd_.get(), payload, format_.record_bytes, columns_, to.first(header.raw_bytes))) throw corrupt();
  }
  region.begin += frame.size();
  return header.raw_bytes;
}

SpillFile::SpillFile(TempSpace& space, MemoryBudget& budget, const std::string& what, const FrameFormat& format,
                     std::size_t partitions)
    : budget_(budget),
      what_(what),
      format_(format),
      partitions_(partitions),
      file_(std::make_unique<TempFile>(space)),
      ends_(budget, what),
      room_(budget, what) {}

void SpillFile::resume_writing() {
  if (writer_) return;
  room_.resize(FrameWriter::room_bytes(format_));
  writer_ = std::make_unique<FrameWriter>(*file_, format_, std::span(room_.data(), room_.size()));
}

void SpillFile::pause_writing() {
  writer_.reset();
  room_ = Array<std::byte>(budget_, what_);
}

}  // namespace refrain::store
