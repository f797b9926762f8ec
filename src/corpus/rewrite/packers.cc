#include "corpus/rewrite/packers.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

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

}  // namespace refrain::corpus
