#include "corpus/packed_file.h"

#include <algorithm>
#include <new>
#include <span>
#include <stdexcept>

namespace refrain {

namespace {

constexpr std::size_t kPlainBytes = std::size_t{256} << 10;
constexpr std::size_t kPackedBytes = std::size_t{64} << 10;
constexpr int kGzipLevel = 6;
constexpr int kGzipFormat = 16 + MAX_WBITS;
constexpr int kGzipMemLevel = 8;
constexpr std::size_t kGzipBytes = std::size_t{272} << 10;  // what zlib takes to deflate, rounded up
constexpr int kZstdLevel = 3;
constexpr std::size_t kZstdBytes = std::size_t{4} << 20;  // the same for zstd at this level

}  // namespace

void PackedFile::EndGzip::operator()(z_stream* stream) const {
  deflateEnd(stream);
  delete stream;
}

PackedFile::PackedFile(MemoryBudget& budget)
    : budget_(budget), plain_(budget, "packing what is written"), packed_(budget, "packing what is written") {}

void PackedFile::open(const std::string& path, Packing packing) {
  file_.emplace(path);
  packing_ = packing;
  if (packing == Packing::none) return;
  plain_.clear();
  plain_.reserve_more(kPlainBytes);
  packed_.resize(kPackedBytes);
  if (packing == Packing::gzip)
    start_gzip();
  else
    start_zstd();
}

void PackedFile::start_gzip() {
  if (gzip_) {
    deflateReset(gzip_.get());
    return;
  }
  gzip_reservation_ = budget_.reserve(kGzipBytes, "packing with gzip");
  auto stream = std::make_unique<z_stream>();
  if (deflateInit2(stream.get(), kGzipLevel, Z_DEFLATED, kGzipFormat, kGzipMemLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  gzip_.reset(stream.release());
}

void PackedFile::start_zstd() {
  if (zstd_) {
    ZSTD_CCtx_reset(zstd_.get(), ZSTD_reset_session_only);
    return;
  }
  zstd_reservation_ = budget_.reserve(kZstdBytes, "packing with zstd");
  zstd_.reset(ZSTD_createCCtx());
  if (!zstd_) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_compressionLevel, kZstdLevel);
  ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_checksumFlag, 1);
}

void PackedFile::write(std::string_view bytes) {
  if (packing_ == Packing::none) return file_->write(bytes);
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), kPlainBytes - plain_.size());
    plain_.append(std::span(bytes.data(), taken));
    bytes.remove_prefix(taken);
    if (plain_.size() == kPlainBytes) pack(false);
  }
}

std::uint64_t PackedFile::close() {
  if (packing_ != Packing::none) pack(true);
  file_->flush();
  const std::uint64_t bytes = file_->bytes();
  file_->close_unsynced();
  file_.reset();
  return bytes;
}

void PackedFile::pack(bool end) {
  if (packing_ == Packing::gzip)
    pack_gzip(end);
  else
    pack_zstd(end);
  plain_.clear();
}

void PackedFile::pack_gzip(bool end) {
  gzip_->next_in = reinterpret_cast<Bytef*>(plain_.data());
  gzip_->avail_in = static_cast<uInt>(plain_.size());
  do {
    gzip_->next_out = reinterpret_cast<Bytef*>(packed_.data());
    gzip_->avail_out = static_cast<uInt>(packed_.size());
    deflate(gzip_.get(), end ? Z_FINISH : Z_NO_FLUSH);
    file_->write({packed_.data(), packed_.size() - gzip_->avail_out});
  } while (gzip_->avail_out == 0);
}

void PackedFile::pack_zstd(bool end) {
  ZSTD_inBuffer in{plain_.data(), plain_.size(), 0};
  while (true) {
    ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(zstd_.get(), &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0) throw std::runtime_error(ZSTD_getErrorName(left));
    file_->write({packed_.data(), out.pos});
    if (end ? left == 0 : in.pos == in.size) break;
  }
}

}  // namespace refrain
