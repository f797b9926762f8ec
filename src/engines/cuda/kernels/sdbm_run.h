// Features for the simplest case, byte by byte: single tokens under sdbm.
//
// The hash goes on with every byte, and so fast that it does not pay to find tokens first: a byte that is no member adds
// the hash to the counters, and makes it zero. What is added between tokens is then zero, which changes nothing. So there
// is one way through the text, and all lanes of a warp take it together.
#pragma once

#include "engines/cuda/kernels/planes.h"
#include "engines/cuda/kernels/tile.h"

namespace refrain::cuda {

template <Members kind>
class SdbmRun {
 public:
  // All tokens of a document that begin in the part, which was cut by even_share_of(). Of the tile, only the text is read.
  REFRAIN_BOTH SdbmRun(const TileText& tile, const Place& place, Part part) {
    if (part.begin >= part.end) return;
    // A token that began before the part is somebody else's.
    bool skip = place.begin < static_cast<std::int64_t>(part.begin) &&
                is_member<kind>(part.begin == 0 ? *(place.text - 1) : byte_of(tile, part.begin - 1));
    std::uint32_t before = 0;  // the flag of the byte before, where the next flags have it
    unsigned batch = 0;
    for (unsigned at = part.begin / 16 * 16; at < part.end; at += 16) {
      std::uint32_t inside[4] = {~0U, ~0U, ~0U, ~0U};
      if (at < part.begin || at + 16 > part.end) cut(part, at, inside);
      std::uint64_t features[8];
      REFRAIN_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t text = tile.text[at / 4 + i] & inside[i];
        others_ |= text;
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

  REFRAIN_BOTH Planes& planes() { return planes_; }
  REFRAIN_BOTH unsigned made() const { return made_; }
  REFRAIN_BOTH bool others() const { return (others_ & 0x80808080U) != 0; }
  REFRAIN_BOTH bool gave_up() const { return gave_up_; }

 private:
  static constexpr std::uint32_t kCase = lower_bits<kind>();

  // Of the four words from `at` on, the bytes that lie in the part.
  static REFRAIN_BOTH void cut(Part part, unsigned at, std::uint32_t (&inside)[4]) {
    REFRAIN_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned word = at + 4 * i;
      if (word < part.begin) inside[i] = word + 4 <= part.begin ? 0 : ~0U << (part.begin - word) * 8;
      if (word + 4 > part.end) inside[i] = word >= part.end ? 0 : inside[i] & ~0U >> (word + 4 - part.end) * 8;
    }
  }

  // Four bytes, zero where one is no member: the upper bit of a byte of `out` says so. Of two neighbours, one at most ends a
  // token: they share a feature.
  REFRAIN_BOTH void take(std::uint32_t bytes, std::uint32_t out, std::uint64_t& early, std::uint64_t& late) {
    early = late = 0;
    step<0>(bytes, out, early);
    step<1>(bytes, out, early);
    step<2>(bytes, out, late);
    step<3>(bytes, out, late);
  }
  template <unsigned at>
  REFRAIN_BOTH void step(std::uint32_t bytes, std::uint32_t out, std::uint64_t& feature) {
    const std::uint32_t ends = spread_bit<at>(out);
    feature |= hash_ & (std::uint64_t{ends} << 32U | ends);
    hash_ = hash_ * (65599U & ~ends) + (bytes >> 8 * at & 255U);
  }

  // The upper bit of byte `at`, 32 times.
  template <unsigned at>
  static REFRAIN_BOTH std::uint32_t spread_bit(std::uint32_t word) {
#ifdef __CUDA_ARCH__
    // A selector of 8 and more asks for the sign of a byte; __byte_perm() does not let that through.
    std::uint32_t spread = 0;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(spread) : "r"(word), "r"(0), "n"(0x8888 + 0x1111 * at));
    return spread;
#else
    return 0 - (word >> (8 * at + 7) & 1U);
#endif
  }

  static REFRAIN_BOTH std::uint8_t byte_of(const TileText& tile, unsigned at) {
    return static_cast<std::uint8_t>(tile.text[at / 4] >> at % 4 * 8);
  }

  // The token that is open where the part ends.
  REFRAIN_BOTH void finish(const TileText& tile, const Place& place, unsigned end, bool skip, unsigned batch) {
    if (!skip && is_member<kind>(byte_of(tile, end - 1))) {
      unsigned at = end;
      for (; at < place.end && at - end <= kMostTokenBytes; ++at) {
        const std::uint8_t byte = at < kReach ? byte_of(tile, at) : place.text[at];
        if (!is_member<kind>(byte)) break;
        hash_ = hash_ * 65599U + (byte | (kCase & 255U));
      }
      if (at - end > kMostTokenBytes - kTileBytes) gave_up_ = token_bytes(place, at) > kMostTokenBytes;
    } else {
      hash_ = 0;
    }
    const std::uint64_t features[8] = {hash_};
    planes_.add(features, batch);
  }

  // Of the token that ends at `end`. Rare.
  static REFRAIN_APART unsigned token_bytes(const Place& place, unsigned end) {
    unsigned size = 0;
    while (size <= kMostTokenBytes && place.begin + size < static_cast<std::int64_t>(end) &&
           is_member<kind>(place.text[static_cast<std::int64_t>(end) - 1 - size]))
      ++size;
    return size;
  }

  Planes planes_;
  std::uint64_t hash_ = 0;
  unsigned made_ = 0;
  std::uint32_t others_ = 0;
  bool gave_up_ = false;
};

}  // namespace refrain::cuda
