#include "corpus/rewrite/packed_file.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/threads.h"
#include "refrain/error.h"

#ifdef REFRAIN_XZ
#include <lzma.h>
#endif

#ifdef REFRAIN_BZIP2
#include <bzlib.h>
#endif

#ifdef REFRAIN_LZ4
#include <lz4frame.h>
#endif

namespace refrain::corpus {

namespace {

constexpr std::size_t kRoom = std::size_t{64} << 10;  // of compressed bytes at a time

// The number of threads, from 1 to `threads`, that fit in an eighth of the available memory at `each` bytes per thread.
unsigned threads_in(const MemoryBudget& budget, std::uint64_t each, unsigned threads) {
  return static_cast<unsigned>(std::clamp<std::uint64_t>(budget.available() / 8 / each, 1, threads));
}

class ZstdPacker final : public Packer {
 public:
  ZstdPacker(unsigned max_threads, MemoryBudget& budget) : packed_(kRoom, '\0') {
    constexpr int kZstdLevel = 3;
    // Parts of this size are compressed in parallel into one frame. The output does not depend on the number of
    // threads.
    constexpr int kPartBytes = 1 << 20;
    constexpr std::size_t kBytes = std::size_t{6} << 20;        // the memory that this takes, rounded up,
    constexpr std::size_t kThreadBytes = std::size_t{5} << 20;  // and for each thread
    const unsigned threads = threads_in(budget, kThreadBytes, max_threads);
    reservation_ = budget.reserve(kRoom + kBytes + threads * kThreadBytes, "packing with zstd");
    context_.reset(ZSTD_createCCtx());
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_nbWorkers, static_cast<int>(threads));
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_jobSize, kPartBytes);
  }

  void pack(std::string_view plain, bool end, const Sink& sink) override {
    ZSTD_inBuffer in{plain.data(), plain.size(), 0};
    while (true) {
      ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0) throw std::runtime_error(ZSTD_getErrorName(left));
      sink({packed_.data(), out.pos});
      if (end ? left == 0 : in.pos == in.size) break;
    }
  }

 private:
  struct End {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  Reservation reservation_;
  std::string packed_;
  std::unique_ptr<ZSTD_CCtx, End> context_;
};

#ifdef REFRAIN_XZ
class XzPacker final : public Packer {
 public:
  XzPacker(unsigned max_threads, MemoryBudget& budget) : packed_(kRoom, '\0') {
    options_.preset = 2;
    options_.block_size = std::uint64_t{4} << 20;  // blocks are independent of the number of threads
    options_.check = LZMA_CHECK_CRC64;
    options_.threads = 1;
    options_.threads = threads_in(budget, lzma_stream_encoder_mt_memusage(&options_), max_threads);
    reservation_ = budget.reserve(kRoom + lzma_stream_encoder_mt_memusage(&options_), "packing with xz");
  }
  ~XzPacker() override { lzma_end(&stream_); }
  XzPacker(const XzPacker&) = delete;
  XzPacker& operator=(const XzPacker&) = delete;

  void pack(std::string_view plain, bool end, const Sink& sink) override {
    if (!begun_ && lzma_stream_encoder_mt(&stream_, &options_) != LZMA_OK) throw std::bad_alloc();
    begun_ = !end;
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(plain.data());
    stream_.avail_in = plain.size();
    while (true) {
      stream_.next_out = reinterpret_cast<std::uint8_t*>(packed_.data());
      stream_.avail_out = packed_.size();
      const lzma_ret status = lzma_code(&stream_, end ? LZMA_FINISH : LZMA_RUN);
      if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
      if (status != LZMA_OK && status != LZMA_STREAM_END) throw std::runtime_error("xz cannot pack");
      sink({packed_.data(), packed_.size() - stream_.avail_out});
      if (end ? status == LZMA_STREAM_END : stream_.avail_in == 0) break;
    }
  }

 private:
  Reservation reservation_;
  std::string packed_;
  lzma_mt options_ = {};
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool begun_ = false;
};
#endif

#ifdef REFRAIN_BZIP2
class Bzip2Packer final : public Packer {
 public:
  explicit Bzip2Packer(MemoryBudget& budget)
      : reservation_(budget.reserve(kRoom + (std::size_t{8} << 20), "packing with bzip2")), packed_(kRoom, '\0') {}
  ~Bzip2Packer() override {
    if (begun_) BZ2_bzCompressEnd(&stream_);
  }
  Bzip2Packer(const Bzip2Packer&) = delete;
  Bzip2Packer& operator=(const Bzip2Packer&) = delete;

  void pack(std::string_view plain, bool end, const Sink& sink) override {
    constexpr int kBlockLevel = 9;
    if (!begun_ && BZ2_bzCompressInit(&stream_, kBlockLevel, 0, 0) != BZ_OK) throw std::bad_alloc();
    begun_ = true;
    stream_.next_in = const_cast<char*>(plain.data());  // NOLINT: it is only read
    stream_.avail_in = static_cast<unsigned>(plain.size());
    for (bool done = plain.empty() && !end; !done;) {
      stream_.next_out = packed_.data();
      stream_.avail_out = static_cast<unsigned>(packed_.size());
      const int status = BZ2_bzCompress(&stream_, end ? BZ_FINISH : BZ_RUN);
      if (status < 0) throw std::runtime_error("bzip2 cannot pack");
      sink({packed_.data(), packed_.size() - stream_.avail_out});
      done = end ? status == BZ_STREAM_END : stream_.avail_in == 0;
    }
    if (!end) return;
    BZ2_bzCompressEnd(&stream_);
    stream_ = {};
    begun_ = false;
  }

 private:
  Reservation reservation_;
  std::string packed_;
  bz_stream stream_ = {};
  bool begun_ = false;
};
#endif

#ifdef REFRAIN_LZ4
class Lz4Packer final : public Packer {
 public:
  explicit Lz4Packer(MemoryBudget& budget) {
    preferences_.frameInfo.blockSizeID = LZ4F_max1MB;
    preferences_.frameInfo.blockMode = LZ4F_blockIndependent;
    preferences_.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    packed_.resize(LZ4F_compressBound(kAtOnce, &preferences_) + LZ4F_HEADER_SIZE_MAX);
    reservation_ = budget.reserve(packed_.size() + (std::size_t{2} << 20), "packing with lz4");
    if (LZ4F_isError(LZ4F_createCompressionContext(&context_, LZ4F_VERSION)) != 0) throw std::bad_alloc();
  }
  ~Lz4Packer() override { LZ4F_freeCompressionContext(context_); }
  Lz4Packer(const Lz4Packer&) = delete;
  Lz4Packer& operator=(const Lz4Packer&) = delete;

  void pack(std::string_view plain, bool end, const Sink& sink) override {
    const auto give = [&](std::size_t bytes) {
      if (LZ4F_isError(bytes) != 0) throw std::runtime_error(LZ4F_getErrorName(bytes));
      sink({packed_.data(), bytes});
    };
    if (!begun_) give(LZ4F_compressBegin(context_, packed_.data(), packed_.size(), &preferences_));
    begun_ = !end;
    for (; !plain.empty(); plain.remove_prefix(std::min(plain.size(), kAtOnce)))
      give(LZ4F_compressUpdate(context_, packed_.data(), packed_.size(), plain.data(), std::min(plain.size(), kAtOnce),
                               nullptr));
    if (end) give(LZ4F_compressEnd(context_, packed_.data(), packed_.size(), nullptr));
  }

 private:
  static constexpr std::size_t kAtOnce = std::size_t{256} << 10;
  Reservation reservation_;
  std::string packed_;
  LZ4F_preferences_t preferences_ = {};
  LZ4F_cctx* context_ = nullptr;
  bool begun_ = false;
};
#endif

}  // namespace

std::unique_ptr<Packer> make_packer(Packing packing, [[maybe_unused]] unsigned threads, MemoryBudget& budget) {
  switch (packing) {
    case Packing::zstd:
      return std::make_unique<ZstdPacker>(threads, budget);
#ifdef REFRAIN_XZ
    case Packing::xz:
      return std::make_unique<XzPacker>(threads, budget);
#endif
#ifdef REFRAIN_BZIP2
    case Packing::bzip2:
      return std::make_unique<Bzip2Packer>(budget);
#endif
#ifdef REFRAIN_LZ4
    case Packing::lz4:
      return std::make_unique<Lz4Packer>(budget);
#endif
    default:
      throw Error(Errc::unsupported, fmt::format("this build cannot pack with {}", packing_name(packing)));
  }
}

namespace {

constexpr std::size_t kBlockBytes = std::size_t{128} << 10;
constexpr std::size_t kDictionaryBytes = std::size_t{32} << 10;
constexpr std::size_t kPackedBlockBytes = kBlockBytes + (std::size_t{1} << 10);  // of an incompressible block
constexpr std::size_t kDeflateBytes = std::size_t{272} << 10;                    // what zlib allocates, rounded up
constexpr int kLevel = 6;
constexpr int kRawDeflate = -MAX_WBITS;
constexpr int kMemLevel = 8;
constexpr std::string_view kHeader("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);  // no name, no time, Unix

}  // namespace

void GzipBlocks::EndDeflate::operator()(z_stream* stream) const {
  deflateEnd(stream);
  delete stream;
}

GzipBlocks::GzipBlocks(MemoryBudget& budget, unsigned threads, Sink sink)
    : sink_(std::move(sink)),
      reservation_(budget.reserve(threads * kDeflateBytes, "packing with gzip")),
      plain_(budget, "packing with gzip", kDictionaryBytes + threads * kBlockBytes) {
  for (unsigned i = 0; i < threads; ++i) {
    auto stream = std::make_unique<z_stream>();
    if (deflateInit2(stream.get(), kLevel, Z_DEFLATED, kRawDeflate, kMemLevel, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
    lanes_.push_back({.stream = std::unique_ptr<z_stream, EndDeflate>(stream.release()),
                      .packed = Array<char>(budget, "packing with gzip", kPackedBlockBytes)});
  }
}

void GzipBlocks::begin() {
  packed_to_ = plain_end_ = 0;
  checksum_ = crc32(0, nullptr, 0);
  bytes_ = 0;
  sink_(kHeader);
}

void GzipBlocks::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t room = packed_to_ + lanes_.size() * kBlockBytes - plain_end_;
    const std::size_t taken = std::min(bytes.size(), room);
    std::memcpy(plain_.data() + plain_end_, bytes.data(), taken);
    plain_end_ += taken;
    bytes.remove_prefix(taken);
    if (taken == room) pack(false);
  }
}

void GzipBlocks::end() {
  pack(true);
  std::array<char, 8> trailer{};
  for (std::size_t i = 0; i < 4; ++i) {
    trailer[i] = static_cast<char>(checksum_ >> 8 * i);
    trailer[4 + i] = static_cast<char>(bytes_ >> 8 * i);
  }
  sink_({trailer.data(), trailer.size()});
}

// Compresses all waiting bytes. The last block of a file is the one that is not full, even if it is empty, so blocks
// do not depend on the number of lanes.
void GzipBlocks::pack(bool end) {
  const std::size_t waiting = plain_end_ - packed_to_;
  const std::size_t full = waiting / kBlockBytes;
  const std::size_t blocks = full + (end ? 1 : 0);
  parallel_for(static_cast<unsigned>(lanes_.size()), blocks, [&](unsigned, std::size_t i) {
    const std::size_t size = i < full ? kBlockBytes : waiting - full * kBlockBytes;
    pack_block(lanes_[i], packed_to_ + i * kBlockBytes, size, i == full);
  });
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t size = i < full ? kBlockBytes : waiting - full * kBlockBytes;
    checksum_ = crc32_combine(checksum_, lanes_[i].checksum, static_cast<z_off_t>(size));
    sink_({lanes_[i].packed.data(), lanes_[i].packed_bytes});
  }
  bytes_ += waiting;
  const std::size_t kept = std::min(plain_end_, kDictionaryBytes);
  std::memmove(plain_.data(), plain_.data() + plain_end_ - kept, kept);
  packed_to_ = plain_end_ = kept;
}

void GzipBlocks::pack_block(Lane& lane, std::size_t begin, std::size_t size, bool last) {
  auto* const bytes = reinterpret_cast<Bytef*>(plain_.data() + begin);
  z_stream& stream = *lane.stream;
  deflateReset(&stream);
  const std::size_t before = std::min(begin, kDictionaryBytes);
  if (before > 0) deflateSetDictionary(&stream, bytes - before, static_cast<uInt>(before));
  stream.next_in = bytes;
  stream.avail_in = static_cast<uInt>(size);
  stream.next_out = reinterpret_cast<Bytef*>(lane.packed.data());
  stream.avail_out = static_cast<uInt>(lane.packed.size());
  deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
  lane.packed_bytes = lane.packed.size() - stream.avail_out;
  lane.checksum = crc32(crc32(0, nullptr, 0), bytes, static_cast<uInt>(size));
}

namespace {

constexpr std::size_t kPlainBytes = std::size_t{256} << 10;

}  // namespace

PackedFile::PackedFile(MemoryBudget& budget, unsigned threads)
    : budget_(budget), threads_(threads), plain_(budget, "what is to be packed") {}

void PackedFile::open(const std::string& path, Packing packing) {
  file_.emplace(path);
  packing_ = packing;
  in_part_ = any_part_ = false;
}

void PackedFile::begin_part() {
  in_part_ = any_part_ = true;
  if (packing_ != Packing::gzip) {
    plain_.clear();
    plain_.reserve_more(kPlainBytes);
    if (packer_of_ != packing_) {
      packer_.reset();
      packer_ = make_packer(packing_, threads_, budget_);
      packer_of_ = packing_;
    }
    return;
  }
  if (!gzip_) {
    const std::uint64_t room = budget_.available() / 8 / GzipBlocks::kThreadBytes;
    const auto threads = static_cast<unsigned>(std::clamp<std::uint64_t>(room, 1, threads_));
    gzip_.emplace(budget_, threads, [this](std::string_view bytes) { file_->write(bytes); });
  }
  gzip_->begin();
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
    if (plain_.size() == kPlainBytes) pack(false);
  }
}

void PackedFile::split() {
  if (!in_part_) return;
  in_part_ = false;
  if (packing_ == Packing::gzip)
    gzip_->end();
  else
    pack(true);
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

void PackedFile::pack(bool end) {
  packer_->pack({plain_.data(), plain_.size()}, end, [this](std::string_view bytes) { file_->write(bytes); });
  plain_.clear();
}

}  // namespace refrain::corpus
