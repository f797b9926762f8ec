#include "text/token_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "text/xxh3.cc"  // NOLINT
#include <hwy/foreach_target.h>            // must come before highway.h
#include <hwy/highway.h>

#ifndef REFRAIN_TEXT_XXH3_PARTS
#define REFRAIN_TEXT_XXH3_PARTS
namespace refrain::text {

inline std::uint64_t xxh3_of(const char* base, const std::uint32_t* edges, std::uint64_t seed) {
  return XXH3_64bits_withSeed(base + edges[0], edges[1] - edges[0], seed);
}

// The constants that the two short paths take from the default secret of XXH3. They read its first 24 bytes: words of
// four bytes at 0 and 4, words of eight bytes at 8 and 16.
struct Xxh3Secrets {
  explicit Xxh3Secrets(std::uint64_t seed)
      : up_to_3((std::uint64_t{0x396cfeb8U} ^ 0xbe4ba423U) + seed),
        up_to_8((0x1cad21f72c81017cULL ^ 0xdb979083e96dd4deULL) -
                (seed ^ std::uint64_t{__builtin_bswap32(static_cast<std::uint32_t>(seed))} << 32U)) {}
  std::uint64_t up_to_3;
  std::uint64_t up_to_8;
};

}  // namespace refrain::text
#endif

HWY_BEFORE_NAMESPACE();
namespace refrain::text::HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::uint64_t>;
using Vector = hn::VFromD<Words>;

// The hashes of tokens of 1 to 3 bytes, which are the first bytes of `word`.
HWY_INLINE Vector up_to_3(Vector word, Vector size, std::uint64_t flip) {
  const Words d;
  const auto byte = hn::Set(d, 0xFF);
  const auto one = hn::Set(d, 1);
  const auto at = [&](Vector place) HWY_ATTR { return hn::And(hn::Shr(word, hn::ShiftLeft<3>(place)), byte); };
  const auto first = hn::ShiftLeft<16>(hn::And(word, byte));
  const auto middle = hn::ShiftLeft<24>(at(hn::ShiftRight<1>(size)));
  const auto last = at(hn::Sub(size, one));
  auto hash = hn::Or(hn::Or(first, middle), hn::Or(last, hn::ShiftLeft<8>(size)));
  hash = hn::Xor(hash, hn::Set(d, flip));
  hash = hn::Mul(hn::Xor(hash, hn::ShiftRight<33>(hash)), hn::Set(d, 0xC2B2AE3D27D4EB4FULL));
  hash = hn::Mul(hn::Xor(hash, hn::ShiftRight<29>(hash)), hn::Set(d, 0x165667B19E3779F9ULL));
  return hn::Xor(hash, hn::ShiftRight<32>(hash));
}

// The hashes of tokens of 4 to 8 bytes.
HWY_INLINE Vector up_to_8(Vector word, Vector size, std::uint64_t flip) {
  const Words d;
  const auto factor = hn::Set(d, 0x9FB21C651E98DF25ULL);
  // The first four bytes of the token above its last four; the two may overlap.
  const auto last = hn::Shr(word, hn::ShiftLeft<3>(hn::Sub(size, hn::Set(d, 4))));
  const auto low = hn::And(last, hn::Set(d, 0xFFFFFFFFULL));
  auto hash = hn::Xor(hn::Add(low, hn::ShiftLeft<32>(word)), hn::Set(d, flip));
  hash = hn::Xor(hash, hn::Xor(hn::RotateRight<64 - 49>(hash), hn::RotateRight<64 - 24>(hash)));
  hash = hn::Mul(hash, factor);
  hash = hn::Xor(hash, hn::Add(hn::ShiftRight<35>(hash), size));
  hash = hn::Mul(hash, factor);
  return hn::Xor(hash, hn::ShiftRight<28>(hash));
}

void xxh3_all(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t seed,
              std::uint64_t* out) {
  const Words d;
  const hn::RebindToSigned<Words> offsets;
  const std::size_t lanes = hn::Lanes(d);
  const Xxh3Secrets flips(seed);
  std::size_t i = 0;
  for (; i + lanes <= tokens; i += lanes) {
    // Two edges are loaded as one 64-bit number: the end in the high half, the beginning in the low half.
    const auto both = hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(edges + 2 * i));
    const auto begin = hn::And(both, hn::Set(d, 0xFFFFFFFFULL));
    const auto size = hn::Sub(hn::ShiftRight<32>(both), begin);
    const auto word = hn::GatherOffset(d, reinterpret_cast<const std::uint64_t*>(base), hn::BitCast(offsets, begin));
    const auto hash = hn::IfThenElse(hn::Lt(size, hn::Set(d, 4)), up_to_3(word, size, flips.up_to_3),
                                     up_to_8(word, size, flips.up_to_8));
    hn::StoreU(hash, d, out + i);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Gt(size, hn::Set(d, 8)), bits);
    for (unsigned left = bits[0]; left != 0; left &= left - 1) {
      const std::size_t token = i + static_cast<unsigned>(__builtin_ctz(left));
      out[token] = xxh3_of(base, edges + 2 * token, seed);
    }
  }
  for (; i < tokens; ++i) out[i] = xxh3_of(base, edges + 2 * i, seed);
}

#else

void xxh3_all(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t seed,
              std::uint64_t* out) {
  for (std::size_t i = 0; i < tokens; ++i) out[i] = xxh3_of(base, edges + 2 * i, seed);
}

#endif

}  // namespace refrain::text::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace refrain::text {

HWY_EXPORT(xxh3_all);

void xxh3_tokens(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t seed,
                 std::uint64_t* out) {
  HWY_DYNAMIC_DISPATCH(xxh3_all)(base, edges, tokens, seed, out);
}

}  // namespace refrain::text
#endif
