#include "text/sdbm.h"

#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "text/sdbm.cc"  // NOLINT
#include <hwy/foreach_target.h>            // must come before highway.h
#include <hwy/highway.h>

#ifndef REFRAIN_TEXT_SDBM_TABLES
#define REFRAIN_TEXT_SDBM_TABLES
namespace refrain {

constexpr std::uint64_t sdbm_power(unsigned exponent) {
  std::uint64_t result = 1;
  for (unsigned i = 0; i < exponent; ++i) result *= 65599;
  return result;
}

// Sixteen bytes of zero, then sixteen of ones: from place n on, a mask that keeps the last n of sixteen bytes.
inline constexpr std::array<std::uint8_t, 32> kKeepLast = [] {
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 16; i < 32; ++i) bytes[i] = 0xFF;
  return bytes;
}();

}  // namespace refrain
#endif

HWY_BEFORE_NAMESPACE();
namespace refrain::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Vectors of one lane: a machine without SIMD, or without any that is supported.
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

// sdbm of the last `size` of the sixteen bytes before `end`; leading zeros count for nothing.
HWY_INLINE std::uint64_t sdbm_of_last(const char* end, std::size_t size) {
  const hn::FixedTag<std::uint8_t, 16> d8;
  const hn::FixedTag<std::uint16_t, 8> d16;
  const hn::FixedTag<std::uint32_t, 4> d32;
  const hn::FixedTag<std::uint64_t, 2> d64;
  const auto raw = hn::LoadU(d8, reinterpret_cast<const std::uint8_t*>(end) - 16);
  const auto bytes = hn::BitCast(d16, hn::And(raw, hn::LoadU(d8, kKeepLast.data() + size)));
  // Pairs: 65599 e + o = (e << 16) + (63 e + o), and the second part fits 16 bits.
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
  const std::uint64_t f0 = hn::GetLane(first);
  const std::uint64_t f1 = hn::ExtractLane(first, 1);
  const std::uint64_t f2 = hn::GetLane(second);
  const std::uint64_t f3 = hn::ExtractLane(second, 1);
  return f0 * sdbm_power(12) + f1 * sdbm_power(8) + f2 * sdbm_power(4) + f3;
}

void sdbm_all(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t* out) {
  for (std::size_t i = 0; i < tokens; ++i) {
    const char* begin = base + edges[2 * i];
    const char* end = base + edges[2 * i + 1];
    const auto size = static_cast<std::size_t>(end - begin);
    if (HWY_LIKELY(size <= 16)) {
      out[i] = sdbm_of_last(end, size);
      continue;
    }
    const std::size_t head = (size - 1) % 16 + 1;
    std::uint64_t hash = sdbm_of_last(begin + head, head);
    for (const char* at = begin + head; at != end; at += 16) hash = hash * sdbm_power(16) + sdbm_of_last(at + 16, 16);
    out[i] = hash;
  }
}

#endif

}  // namespace refrain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace refrain {

HWY_EXPORT(sdbm_all);

void sdbm_tokens(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t* out) {
  HWY_DYNAMIC_DISPATCH(sdbm_all)(base, edges, tokens, out);
}

}  // namespace refrain
#endif
