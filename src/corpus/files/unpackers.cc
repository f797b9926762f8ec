#include "corpus/files/unpackers.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <new>

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

// The allocator of a decoder. A file may consist of very many tiny streams, each of which may request a dictionary or
// a block of megabytes. So the large allocation is kept when it is freed, and reused for the next stream.
class DecoderMemory {
 public:
  DecoderMemory() = default;
  DecoderMemory(const DecoderMemory&) = delete;
  DecoderMemory& operator=(const DecoderMemory&) = delete;
  ~DecoderMemory() { std::free(large_); }

  void* allocate(std::size_t size) {
    if (size < kLarge || in_use_) return std::malloc(size);
    if (size > large_size_) {
      std::free(large_);
      large_ = std::malloc(size);
      large_size_ = large_ != nullptr ? size : 0;
    }
    in_use_ = large_ != nullptr;
    return large_;
  }
  void release(void* at) {
    if (at != nullptr && at == large_)
      in_use_ = false;
    else
      std::free(at);
  }
  std::size_t large_size() const { return large_size_; }

 private:
  static constexpr std::size_t kLarge = std::size_t{128} << 10;

  void* large_ = nullptr;
  std::size_t large_size_ = 0;
  bool in_use_ = false;
};

// Callbacks with the signatures that the libraries require.
template <class Count>
void* allocate_for_decoder(void* memory, Count count, Count size) {
  return static_cast<DecoderMemory*>(memory)->allocate(static_cast<std::size_t>(count) *
                                                       static_cast<std::size_t>(size));
}

void release_for_decoder(void* memory, void* at) {
  static_cast<DecoderMemory*>(memory)->release(at);
}

#ifdef REFRAIN_XZ
class XzUnpacker final : public Unpacker {
 public:
  XzUnpacker() {
    stream_.allocator = &allocator_;
    if (lzma_stream_decoder(&stream_, kMostMemory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzUnpacker() override { lzma_end(&stream_); }
  XzUnpacker(const XzUnpacker&) = delete;
  XzUnpacker& operator=(const XzUnpacker&) = delete;

  Step unpack(std::string_view packed, bool last, char* buffer, std::size_t size) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream_.avail_in = packed.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(buffer);
    stream_.avail_out = size;
    const lzma_ret status = lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    Step step{.taken = packed.size() - stream_.avail_in, .given = size - stream_.avail_out};
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (status == LZMA_STREAM_END) step.inside = false;
    if (status == LZMA_DATA_ERROR || status == LZMA_FORMAT_ERROR) step.damage = "damaged xz data";
    if (status == LZMA_OPTIONS_ERROR) step.unsupported = "xz filters that are not supported; recompress it with xz -9";
    if (status == LZMA_MEMLIMIT_ERROR)
      step.unsupported = "xz dictionary larger than 128 MiB; recompress it with xz -9 or less";
    return step;
  }
  std::size_t memory() const override {
    return std::max(static_cast<std::size_t>(lzma_memusage(&stream_)), memory_.large_size());
  }

 private:
  // Enough for a dictionary of 128 MiB, the same limit as for the window of a zstd frame, and the decoder's other
  // memory.
  static constexpr std::uint64_t kMostMemory = std::uint64_t{130} << 20;

  DecoderMemory memory_;
  const lzma_allocator allocator_{allocate_for_decoder<std::size_t>, release_for_decoder, &memory_};
  lzma_stream stream_ = LZMA_STREAM_INIT;
};
#endif

#ifdef REFRAIN_BZIP2
class Bzip2Unpacker final : public Unpacker {
 public:
  Bzip2Unpacker() = default;
  ~Bzip2Unpacker() override { end(); }
  Bzip2Unpacker(const Bzip2Unpacker&) = delete;
  Bzip2Unpacker& operator=(const Bzip2Unpacker&) = delete;

  Step unpack(std::string_view packed, bool /*last*/, char* buffer, std::size_t size) override {
    if (packed.empty()) return {.inside = begun_};
    if (!begun_) {
      if (packed.front() != 'B') return {.inside = false, .damage = "other data after the bzip2 data"};
      stream_.bzalloc = allocate_for_decoder<int>;
      stream_.bzfree = release_for_decoder;
      stream_.opaque = &memory_;
      if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
      begun_ = true;
    }
    stream_.next_in = const_cast<char*>(packed.data());  // NOLINT: it is only read
    stream_.avail_in = static_cast<unsigned>(std::min<std::size_t>(packed.size(), UINT_MAX));
    stream_.next_out = buffer;
    stream_.avail_out = static_cast<unsigned>(std::min<std::size_t>(size, UINT_MAX));
    const unsigned in = stream_.avail_in;
    const unsigned out = stream_.avail_out;
    const int status = BZ2_bzDecompress(&stream_);
    Step step{.taken = in - stream_.avail_in, .given = out - stream_.avail_out};
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    if (status == BZ_STREAM_END)
      end();
    else if (status != BZ_OK)
      step.damage = "damaged bzip2 data";
    step.inside = begun_;
    return step;
  }
  std::size_t memory() const override { return std::size_t{4} << 20; }  // for the largest blocks

 private:
  void end() {
    if (begun_) BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    begun_ = false;
  }

  DecoderMemory memory_;
  bz_stream stream_ = {};
  bool begun_ = false;
};
#endif

#ifdef REFRAIN_LZ4
class Lz4Unpacker final : public Unpacker {
 public:
  Lz4Unpacker() {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION)) != 0) throw std::bad_alloc();
  }
  ~Lz4Unpacker() override { LZ4F_freeDecompressionContext(context_); }
  Lz4Unpacker(const Lz4Unpacker&) = delete;
  Lz4Unpacker& operator=(const Lz4Unpacker&) = delete;

  Step unpack(std::string_view packed, bool /*last*/, char* buffer, std::size_t size) override {
    std::size_t given = size;
    std::size_t taken = packed.size();
    const std::size_t status = LZ4F_decompress(context_, buffer, &given, packed.data(), &taken, nullptr);
    if (LZ4F_isError(status) != 0)
      return {.taken = 0, .given = 0, .damage = std::string("damaged lz4 data (") + LZ4F_getErrorName(status) + ")"};
    if (taken > 0) inside_ = status != 0;
    return {.taken = taken, .given = given, .inside = inside_};
  }
  std::size_t memory() const override { return std::size_t{9} << 20; }  // two of the largest blocks and their history

 private:
  LZ4F_dctx* context_ = nullptr;
  bool inside_ = false;
};
#endif

}  // namespace

Packing library_packing(std::string_view start) {
  using namespace std::string_view_literals;
  if (start.starts_with("\xfd"
                        "7zXZ\0"sv))
    return Packing::xz;
  if (start.starts_with("\x04\x22\x4d\x18")) return Packing::lz4;
  // A text might begin with "BZh", so the block size and the mark of the first block or of an empty stream must follow.
  constexpr std::string_view kBlockMark = "1AY&SY";
  constexpr std::string_view kEmpty = "\x17\x72\x45\x38\x50\x90";
  if (start.starts_with("BZh") && start.size() >= 10 && start[3] >= '1' && start[3] <= '9' &&
      (start.substr(4, 6) == kBlockMark || start.substr(4, 6) == kEmpty))
    return Packing::bzip2;
  return Packing::none;
}

std::string_view packing_name(Packing packing) {
  constexpr std::string_view kNames[] = {"no packing", "gzip", "zstd", "xz", "bzip2", "lz4"};
  return kNames[static_cast<std::size_t>(packing)];
}

std::unique_ptr<Unpacker> make_unpacker(Packing packing) {
  switch (packing) {
#ifdef REFRAIN_XZ
    case Packing::xz:
      return std::make_unique<XzUnpacker>();
#endif
#ifdef REFRAIN_BZIP2
    case Packing::bzip2:
      return std::make_unique<Bzip2Unpacker>();
#endif
#ifdef REFRAIN_LZ4
    case Packing::lz4:
      return std::make_unique<Lz4Unpacker>();
#endif
    default:
      return nullptr;
  }
}

}  // namespace refrain::corpus
