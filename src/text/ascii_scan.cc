#include "text/ascii_scan.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "text/ascii_scan.cc"  // NOLINT
#include <hwy/foreach_target.h>                  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace refrain::text::HWY_NAMESPACE {

std::size_t edges_of(const std::uint64_t* members, std::size_t size, std::uint32_t* edges) {
  std::uint32_t* out = edges;
  std::uint64_t inside = 0;
  for (std::size_t block = 0; block < (size + 63) / 64; ++block)
    out = emit_edges(members[block], 64, inside, static_cast<std::uint32_t>(block * 64), out);
  if (inside != 0) *out++ = static_cast<std::uint32_t>(size);
  return static_cast<std::size_t>(out - edges);
}

#if HWY_TARGET == HWY_SCALAR

// With vectors of one lane, the machine has no SIMD, or none that Highway supports.
bool scan(const char* text, std::size_t size, const AsciiSet& set, bool lower, std::uint64_t* members,
          std::uint64_t* non_ascii, char* copy) {
  return scan_ascii_plain(text, size, set, lower, members, non_ascii, copy);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// One block of 64 bytes.
HWY_INLINE void scan_block(const std::uint8_t* HWY_RESTRICT text, const AsciiSet& set, std::int8_t case_bit,
                           std::uint64_t& members, std::uint64_t& non_ascii, std::uint8_t* HWY_RESTRICT copy) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t lanes = hn::Lanes(d);
  const auto rows = hn::LoadDup128(d, set.rows.data());
  alignas(16) static constexpr std::uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128};
  const auto bits = hn::LoadDup128(d, kBits);
  alignas(8) std::uint8_t in[8] = {};
  alignas(8) std::uint8_t high[8] = {};
  for (std::size_t i = 0; i < 64; i += lanes) {
    const auto v = hn::LoadU(d, text + i);
    // A byte above 127 has a high nibble above 7, where kBits is 0: it is in no set.
    const auto row = hn::TableLookupBytes(rows, hn::And(v, hn::Set(d, std::uint8_t{15})));
    const auto bit = hn::TableLookupBytes(bits, hn::ShiftRight<4>(v));
    hn::StoreMaskBits(d, hn::Ne(hn::And(row, bit), hn::Zero(d)), in + i / 8);
    // As a signed value, a byte above 127 is negative.
    const auto s = hn::BitCast(di, v);
    hn::StoreMaskBits(di, hn::Lt(s, hn::Zero(di)), high + i / 8);
    const auto upper = hn::And(hn::Gt(s, hn::Set(di, 'A' - 1)), hn::Lt(s, hn::Set(di, 'Z' + 1)));
    hn::StoreU(hn::Or(v, hn::BitCast(d, hn::IfThenElseZero(upper, hn::Set(di, case_bit)))), d, copy + i);
  }
  std::memcpy(&members, in, 8);
  std::memcpy(&non_ascii, high, 8);
}

bool scan(const char* text, std::size_t size, const AsciiSet& set, bool lower, std::uint64_t* members,
          std::uint64_t* non_ascii, char* copy) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(text);
  auto* to = reinterpret_cast<std::uint8_t*>(copy);
  const std::int8_t case_bit = lower ? 0x20 : 0;
  std::uint64_t any = 0;
  std::size_t block = 0;
  for (; (block + 1) * 64 <= size; ++block) {
    scan_block(from + block * 64, set, case_bit, members[block], non_ascii[block], to + block * 64);
    any |= non_ascii[block];
  }
  const std::size_t rest = size - block * 64;
  if (rest != 0) {
    std::uint8_t last[64] = {};
    std::memcpy(last, from + block * 64, rest);
    scan_block(last, set, case_bit, members[block], non_ascii[block], to + block * 64);
    members[block] &= (std::uint64_t{1} << rest) - 1;
    any |= non_ascii[block];
  }
  return any != 0;
}

#endif

}  // namespace refrain::text::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace refrain::text {

HWY_EXPORT(scan);
HWY_EXPORT(edges_of);

std::size_t find_edges(const std::uint64_t* members, std::size_t size, std::uint32_t* edges) {
  return HWY_DYNAMIC_DISPATCH(edges_of)(members, size, edges);
}

bool scan_ascii(const char* text, std::size_t size, const AsciiSet& set, bool lower, std::uint64_t* members,
                std::uint64_t* non_ascii, char* copy) {
  return HWY_DYNAMIC_DISPATCH(scan)(text, size, set, lower, members, non_ascii, copy);
}

bool scan_ascii_plain(const char* text, std::size_t size, const AsciiSet& set, bool lower, std::uint64_t* members,
                      std::uint64_t* non_ascii, char* copy) {
  bool any = false;
  for (std::size_t i = 0; i < size; ++i) {
    const auto c = static_cast<std::uint8_t>(text[i]);
    if (i % 64 == 0) members[i / 64] = non_ascii[i / 64] = 0;
    members[i / 64] |= static_cast<std::uint64_t>(set.contains(c)) << i % 64;
    non_ascii[i / 64] |= static_cast<std::uint64_t>(c >= 128) << i % 64;
    copy[i] = lower && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20U) : text[i];
    any |= c >= 128;
  }
  return any;
}

}  // namespace refrain::text
#endif
