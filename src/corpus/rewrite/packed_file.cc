#include "corpus/rewrite/packed_file.h"

#include <algorithm>
#include <new>
#include <span>
#include <stdexcept>

namespace refrain::corpus {

namespace {

constexpr std::size_t kPlainBytes = std::size_t{256} << 10;
constexpr std::size_t kPackedBytes = std::size_t{64} << 10;
constexpr int kZstdLevel = 3;
// Parts of this size are packed side by side into one frame; what comes out does not depend on how many.
constexpr int kZstdPartBytes = 1 << 20;
constexpr std::size_t kZstdBytes = std::size_t{6} << 20;        // what that takes, rounded up,
constexpr std::size_t kZstdThreadBytes = std::size_t{5} << 20;  // and for each thread

}  // namespace

PackedFile::PackedFile(MemoryBudget& budget, unsigned threads)
    : budget_(budget), threads_(threads), plain_(budget, "packing with zstd"), packed_(budget, "packing with zstd") {}

void PackedFile::open(const std::string& path, Packing packing) {
  file_.emplace(path);
  packing_ = packing;
  in_part_ = any_part_ = false;
}

void PackedFile::begin_part() {
  in_part_ = any_part_ = true;
  if (packing_ == Packing::zstd) start_zstd();
  if (packing_ != Packing::gzip) return;
  if (!gzip_) {
    const std::uint64_t room = budget_.available() / 8 / GzipBlocks::kThreadBytes;
    const auto threads = static_cast<unsigned>(std::clamp<std::uint64_t>(room, 1, threads_));
    gzip_.emplace(budget_, threads, [this](std::string_view bytes) { file_->write(bytes); });
  }
  gzip_->begin();
}

void PackedFile::start_zstd() {
  plain_.clear();
  if (zstd_) {
    ZSTD_CCtx_reset(zstd_.get(), ZSTD_reset_session_only);
    return;
  }
  plain_.reserve_more(kPlainBytes);
  packed_.resize(kPackedBytes);
  const std::uint64_t room = budget_.available() / 8 / kZstdThreadBytes;
  const auto threads = static_cast<unsigned>(std::clamp<std::uint64_t>(room, 1, threads_));
  reservation_ = budget_.reserve(kZstdBytes + threads * kZstdThreadBytes, "packing with zstd");
  zstd_.reset(ZSTD_createCCtx());
  if (!zstd_) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_compressionLevel, kZstdLevel);
  ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_nbWorkers, static_cast<int>(threads));
  ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_jobSize, kZstdPartBytes);
}

void PackedFile::write(std::string_view bytes) {
  if (packing_ == Packing::none) return file_->write(bytes);
  if (bytes.empty()) return;
  if (!in_part_) begin_part();
  if (packing_ == Packing::gzip) return gzip_->write(bytes);
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), kPlainBytes - plain_.size());
    plain_.append(std::span(bytes.data(), taken));
    bytes.remove_prefix(taken);
    if (plain_.size() == kPlainBytes) pack_zstd(false);
  }
}

void PackedFile::split() {
  if (!in_part_) return;
  in_part_ = false;
  if (packing_ == Packing::gzip) gzip_->end();
  if (packing_ == Packing::zstd) pack_zstd(true);
}

std::uint64_t PackedFile::close() {
  if (packing_ != Packing::none && !any_part_) begin_part();
  split();
  file_->flush();
  const std::uint64_t bytes = file_->bytes();
  file_->close_unsynced();
  file_.reset();
  return bytes;
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
  plain_.clear();
}

}  // namespace refrain::corpus
