#include "corpus/rewrite/gzip_blocks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "base/threads.h"

namespace refrain::corpus {

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

}  // namespace refrain::corpus
