#include "text/token_hash.h"

#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "text/sdbm.cc"  // NOLINT
#include <hwy/foreach_target.h>            // must come before highway.h
#include <hwy/highway.h>

#ifndef REFRAIN_TEXT_SDBM_TABLES
#define REFRAIN_TEXT_SDBM_TABLES
namespace refrain::text {

constexpr std::uint64_t sdbm_power(unsigned exponent) {
  std::uint64_t result = 1;
  for (unsigned i = 0; i < exponent; ++i) result *= 65599;
  return result;
}

// Sixteen bytes of zeros, then sixteen of ones. Loaded from offset n, it is a mask that keeps the last n of sixteen
// bytes.
inline constexpr std::array<std::uint8_t, 32> kKeepLast = [] {
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 16; i < 32; ++i) bytes[i] = 0xFF;
  return bytes;
}();

// The weights of the four groups of four in sixteen bytes.
alignas(16) inline constexpr std::array<std::uint64_t, 2> kFirstPowers{sdbm_power(12), sdbm_power(8)};
alignas(16) inline constexpr std::array<std::uint64_t, 2> kSecondPowers{sdbm_power(4), 1};

}  // namespace refrain::text
#endif

HWY_BEFORE_NAMESPACE();
namespace refrain::text::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// With vectors of one lane, the machine has no SIMD, or none that Highway supports.
void sdbm_all(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t* out) {
  for (std::size_t i = 0; i < tokens; ++i) {
    std::uint64_t hash = 0;
    for (std::size_t at = edges[2 * i]; at < edges[2 * i + 1]; ++at)
      hash = hash * sdbm_power(1) + static_cast<std::uint8_t>(base[at]);
    out[i] = hash;
  }
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// Sixteen bytes per token, with one token or two side by side: every step works on blocks of sixteen bytes.
using Bytes = hn::CappedTag<std::uint8_t, 32>;
constexpr std::size_t kTokens = HWY_MAX_BYTES >= 32 ? 2 : 1;

// The last size[t] of the sixteen bytes before end[t], preceded by zeros, which do not change the hash.
HWY_INLINE hn::VFromD<Bytes> load_last(const char* const* end, const std::size_t* size) {
  const hn::FixedTag<std::uint8_t, 16> one;
  const auto block = [&](std::size_t t) HWY_ATTR {
    return hn::And(hn::LoadU(one, reinterpret_cast<const std::uint8_t*>(end[t]) - 16),
                   hn::LoadU(one, kKeepLast.data() + size[t]));
  };
#if HWY_MAX_BYTES >= 32
  return hn::Combine(Bytes(), block(1), block(0));
#else
  return block(0);
#endif
}

// The hashes of kTokens tokens, each loaded by load_last().
HWY_INLINE void sdbm_of_last(const char* const* end, const std::size_t* size, std::uint64_t* out) {
  const hn::Repartition<std::uint16_t, Bytes> d16;
  const hn::Repartition<std::uint32_t, Bytes> d32;
  const hn::Repartition<std::uint64_t, Bytes> d64;
  const auto bytes = hn::BitCast(d16, load_last(end, size));
  // Pairs: 65599 e + o = (e << 16) + (63 e + o), and the second part fits in 16 bits.
  const auto early = hn::And(bytes, hn::Set(d16, std::uint16_t{0xFF}));
  const auto late = hn::ShiftRight<8>(bytes);
  const auto low = hn::Add(hn::Sub(hn::ShiftLeft<6>(early), early), late);
  // Fours: 65599^2 = 2^32 + 8261505.
  const auto fours = [&](auto pairs16) HWY_ATTR {
    const auto pairs = hn::BitCast(d32, pairs16);
    const auto wide = hn::BitCast(d64, pairs);
    const auto product = hn::MulEven(pairs, hn::Set(d32, std::uint32_t{8261505}));
    return hn::Add(hn::Add(product, hn::ShiftLeft<32>(wide)), hn::ShiftRight<32>(wide));
  };
  const auto first = fours(hn::InterleaveLower(d16, low, early));
  const auto second = fours(hn::InterleaveUpper(d16, low, early));
  // The whole: the four groups of four, multiplied by their weights.
#if HWY_TARGET <= HWY_AVX3
  const auto sum = hn::Add(hn::Mul(first, hn::LoadDup128(d64, kFirstPowers.data())),
                           hn::Mul(second, hn::LoadDup128(d64, kSecondPowers.data())));
  const auto total = hn::Add(sum, hn::Shuffle01(sum));
  out[0] = hn::GetLane(total);
  if constexpr (kTokens == 2) out[1] = hn::ExtractLane(total, 2);
#else
  HWY_ALIGN std::uint64_t f[2 * kTokens];
  HWY_ALIGN std::uint64_t g[2 * kTokens];
  hn::Store(first, d64, f);
  hn::Store(second, d64, g);
  for (std::size_t t = 0; t < kTokens; ++t)
    out[t] = f[2 * t] * kFirstPowers[0] + f[2 * t + 1] * kFirstPowers[1] + g[2 * t] * kSecondPowers[0] + g[2 * t + 1];
#endif
}

// The hash of a token of any length, in pieces of sixteen bytes, the first one shorter; kTokens pieces at once.
HWY_INLINE std::uint64_t sdbm_of_long(const char* begin, const char* end) {
  std::uint64_t hash = 0;
  std::uint64_t piece[2];
  std::size_t size = static_cast<std::size_t>(end - begin - 1) % 16 + 1;
  const char* at = begin + size;
  while (at <= end) {
    const bool two = kTokens == 2 && at + 16 <= end;
    const char* const ends[2] = {at, two ? at + 16 : at};
    const std::size_t sizes[2] = {size, 16};
    sdbm_of_last(ends, sizes, piece);
    hash = two ? (hash * sdbm_power(16) + piece[0]) * sdbm_power(16) + piece[1] : hash * sdbm_power(16) + piece[0];
    at += two ? 32 : 16;
    size = 16;
  }
  return hash;
}

void sdbm_all(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t* out) {
  std::size_t i = 0;
  for (; i + kTokens <= tokens; i += kTokens) {
    const char* end[kTokens];
    std::size_t size[kTokens];
    std::size_t longest = 0;
    for (std::size_t t = 0; t < kTokens; ++t) {
      end[t] = base + edges[2 * (i + t) + 1];
      size[t] = edges[2 * (i + t) + 1] - edges[2 * (i + t)];
      longest = HWY_MAX(longest, size[t]);
    }
    if (HWY_LIKELY(longest <= 16)) {
      sdbm_of_last(end, size, out + i);
      continue;
    }
    for (std::size_t t = 0; t < kTokens; ++t) out[i + t] = sdbm_of_long(end[t] - size[t], end[t]);
  }
  for (; i < tokens; ++i) out[i] = sdbm_of_long(base + edges[2 * i], base + edges[2 * i + 1]);
}

#endif

}  // namespace refrain::text::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace refrain::text {

HWY_EXPORT(sdbm_all);

void sdbm_tokens(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t* out) {
  HWY_DYNAMIC_DISPATCH(sdbm_all)(base, edges, tokens, out);
}

}  // namespace refrain::text
#endif
