// Computes features byte by byte in the simplest case: single tokens hashed with sdbm.
//
// The hash changes with every byte, and is so fast that finding the tokens first does not pay. A byte that is not a
// member adds the hash to the counters and resets it to zero. Between tokens the hash is therefore zero, and adding
// it changes nothing. So there is only one path through the text, which all lanes of a warp take together.
#pragma once

#include "engines/cuda/kernels/planes.h"
#include "engines/cuda/kernels/tile.h"

namespace refrain::cuda {

template <Members kind>
class SdbmRun {
 public:
  // Covers all tokens of a document that begin in the part, which even_share_of() made. Reads only the text of the
  // tile.
  REFRAIN_HOST_DEVICE SdbmRun(const TileText& tile, const Place& place, Part part) {
    if (part.begin >= part.end) return;
    // A token that began before the part belongs to another lane.
    bool skip = place.begin < static_cast<std::int64_t>(part.begin) &&
                is_member<kind>(part.begin == 0 ? *(place.text - 1) : byte_of(tile, part.begin - 1));
    std::uint32_t before = 0;  // the flag of the previous byte, at the position where `flags << 8U` lacks it
    unsigned batch = 0;
    for (unsigned at = part.begin / 16 * 16; at < part.end; at += 16) {
      std::uint32_t inside[4] = {~0U, ~0U, ~0U, ~0U};
      if (at < part.begin || at + 16 > part.end) cut(part, at, inside);
      std::uint64_t features[8];
      REFRAIN_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t text = tile.text[at / 4 + i] & inside[i];
        non_ascii_ |= text;
        std::uint32_t flags = member_flags<kind>(text) & inside[i];
        if (skip) {
          const std::uint32_t out = ~flags & inside[i] & 0x80808080U;
          flags &= ~((out & (0 - out)) - 1);
          skip = out == 0;
        }
        made_ += count_bits(flags & ~(flags << 8U | before));
        before = flags >> 24U;
        take((text | kCase) & (flags >> 7U) * 255U, ~flags, features[2 * i], features[2 * i + 1]);
      }
      planes_.add(features, ++batch);
    }
    finish(tile, place, part.end, skip, batch + 1);
  }

  REFRAIN_HOST_DEVICE Planes& planes() { return planes_; }
  REFRAIN_HOST_DEVICE unsigned made() const { return made_; }
  REFRAIN_HOST_DEVICE bool others() const { return (non_ascii_ & 0x80808080U) != 0; }
  REFRAIN_HOST_DEVICE bool gave_up() const { return gave_up_; }

 private:
  static constexpr std::uint32_t kCase = lower_bits<kind>();

  // Limits the four words from `at` on to the bytes that lie in the part.
  static REFRAIN_HOST_DEVICE void cut(Part part, unsigned at, std::uint32_t (&inside)[4]) {
    REFRAIN_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned word = at + 4 * i;
      if (word < part.begin) inside[i] = word + 4 <= part.begin ? 0 : ~0U << (part.begin - word) * 8;
      if (word + 4 > part.end) inside[i] = word >= part.end ? 0 : inside[i] & ~0U >> (word + 4 - part.end) * 8;
    }
  }

  // Takes four bytes, which are zero if they are not members; then the upper bit of the same byte of `out` is set.
  // At most one of two neighboring bytes ends a token, so they share a feature.
  REFRAIN_HOST_DEVICE void take(std::uint32_t bytes, std::uint32_t out, std::uint64_t& early, std::uint64_t& late) {
    early = late = 0;
    step<0>(bytes, out, early);
    step<1>(bytes, out, early);
    step<2>(bytes, out, late);
    step<3>(bytes, out, late);
  }
  template <unsigned at>
  REFRAIN_HOST_DEVICE void step(std::uint32_t bytes, std::uint32_t out, std::uint64_t& feature) {
    const std::uint32_t ends = spread_bit<at>(out);
    feature |= hash_ & (std::uint64_t{ends} << 32U | ends);
    hash_ = hash_ * (65599U & ~ends) + (bytes >> 8 * at & 255U);
  }

  // The upper bit of byte `at`, repeated 32 times.
  template <unsigned at>
  static REFRAIN_HOST_DEVICE std::uint32_t spread_bit(std::uint32_t word) {
#ifdef __CUDA_ARCH__
    // A selector of 8 or more replicates the sign of a byte; __byte_perm() does not allow that.
    std::uint32_t spread = 0;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(spread) : "r"(word), "r"(0), "n"(0x8888 + 0x1111 * at));
    return spread;
#else
    return 0 - (word >> (8 * at + 7) & 1U);
#endif
  }

  static REFRAIN_HOST_DEVICE std::uint8_t byte_of(const TileText& tile, unsigned at) {
    return static_cast<std::uint8_t>(tile.text[at / 4] >> at % 4 * 8);
  }

  // Completes the token that is open at the end of the part.
  REFRAIN_HOST_DEVICE void finish(const TileText& tile, const Place& place, unsigned end, bool skip, unsigned batch) {
    if (!skip && is_member<kind>(byte_of(tile, end - 1))) {
      unsigned at = end;
      for (; at < place.end && at - end <= kMaxDeviceTokenBytes; ++at) {
        const std::uint8_t byte = at < kReach ? byte_of(tile, at) : place.text[at];
        if (!is_member<kind>(byte)) break;
        hash_ = hash_ * 65599U + (byte | (kCase & 255U));
      }
      if (at - end > kMaxDeviceTokenBytes - kTileBytes) gave_up_ = token_bytes(place, at) > kMaxDeviceTokenBytes;
    } else {
      hash_ = 0;
    }
    const std::uint64_t features[8] = {hash_};
    planes_.add(features, batch);
  }

  // The size of the token that ends at `end`. Rarely called.
  static REFRAIN_NOINLINE unsigned token_bytes(const Place& place, unsigned end) {
    unsigned size = 0;
    while (size <= kMaxDeviceTokenBytes && place.begin + size < static_cast<std::int64_t>(end) &&
           is_member<kind>(place.text[static_cast<std::int64_t>(end) - 1 - size]))
      ++size;
    return size;
  }

  Planes planes_;
  std::uint64_t hash_ = 0;
  unsigned made_ = 0;
  std::uint32_t non_ascii_ = 0;
  bool gave_up_ = false;
};

}  // namespace refrain::cuda
