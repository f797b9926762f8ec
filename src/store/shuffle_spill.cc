#include "store/shuffle_spill.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "refrain/error.h"

namespace refrain {

namespace {

constexpr std::uint32_t kMagic = 0x4D524652;  // "RFRM"
constexpr int kLevel = 1;
constexpr std::size_t kOutFrames = 4;  // that are written to the file at once

// What zstd takes, measured for frames of 64 KiB: 304,032 and 95,992 bytes.
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

// From records to columns.
void transpose(std::span<const std::byte> records, std::size_t record_bytes, std::byte* columns) {
  const std::size_t count = records.size() / record_bytes;
  for (std::size_t b = 0; b < record_bytes; ++b)
    for (std::size_t i = 0; i < count; ++i) *columns++ = records[i * record_bytes + b];
}

void transpose_back(std::span<const std::byte> columns, std::size_t record_bytes, std::byte* records) {
  const std::size_t count = columns.size() / record_bytes;
  const std::byte* from = columns.data();
  for (std::size_t b = 0; b < record_bytes; ++b)
    for (std::size_t i = 0; i < count; ++i) records[i * record_bytes + b] = *from++;
}

// 0 where the compressed bytes would not be fewer.
std::size_t compress(ZSTD_CCtx* zstd, std::span<const std::byte> records, std::size_t record_bytes, std::byte* columns,
                     std::byte* to) {
  transpose(records, record_bytes, columns);
  const std::size_t size = ZSTD_compressCCtx(zstd, to, records.size() - 1, columns, records.size(), kLevel);
  return ZSTD_isError(size) != 0 ? 0 : size;
}

}  // namespace

double compressed_fraction(const FrameFormat& format, std::span<const std::byte> records) {
  if (records.empty()) return 1;
  std::vector<std::byte> columns(format.frame_bytes);
  std::vector<std::byte> to(format.frame_bytes);
  ZSTD_CCtx* zstd = ZSTD_createCCtx();
  std::size_t stored = 0;
  for (std::span<const std::byte> left = records; !left.empty();) {
    const std::span<const std::byte> frame = left.first(std::min(left.size(), format.frame_bytes));
    const std::size_t size = compress(zstd, frame, format.record_bytes, columns.data(), to.data());
    stored += size == 0 ? frame.size() : size;
    left = left.subspan(frame.size());
  }
  ZSTD_freeCCtx(zstd);
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
      zstd_(format.compress ? ZSTD_createDCtx() : nullptr) {}

FrameReader::FrameReader(FrameReader&&) noexcept = default;
FrameReader::~FrameReader() = default;

std::size_t FrameReader::room_bytes(const FrameFormat& format) {
  return format.frame_bytes + kFrameHeaderBytes + (format.compress ? format.frame_bytes + kDecompressorBytes : 0);
}

std::size_t FrameReader::next(const TempFile& file, FrameRegion& region, std::span<std::byte> to) {
  const auto corrupt = [&] {
    return Error(Errc::corrupt,
                 fmt::format("a temporary file no longer holds what was written to it (at byte {}); check "
                             "the disk, or choose another one with --temp-dir",
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
    if (header.raw_bytes > columns_.size()) throw corrupt();
    const std::size_t size =
        ZSTD_decompressDCtx(zstd_.get(), columns_.data(), header.raw_bytes, payload.data(), payload.size());
    if (size != header.raw_bytes) throw corrupt();
    transpose_back(columns_.first(size), format_.record_bytes, to.data());
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

void SpillFile::wake() {
  if (writer_) return;
  room_.resize(FrameWriter::room_bytes(format_));
  writer_ = std::make_unique<FrameWriter>(*file_, format_, std::span(room_.data(), room_.size()));
}

void SpillFile::rest() {
  writer_.reset();
  room_ = Array<std::byte>(budget_, what_);
}

}  // namespace refrain
