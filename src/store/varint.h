// Varints: unsigned integers in 7-bit groups, least significant first; all bytes except the last have the high bit
// set (LEB128).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace refrain::store {

static_assert(std::endian::native == std::endian::little, "bytes are put together as they lie in memory");

inline constexpr std::size_t kMaxVarintBytes = 10;

// Writes `value` to `out`, which must always have room for kMaxVarintBytes. Returns the end of what was written.
inline char* put_varint(char* out, std::uint64_t value) {
  // Writes up to four bytes at once, because their number cannot be predicted.
  if (value < std::uint64_t{1} << 28U) {
    const auto number = static_cast<std::uint32_t>(value);
    const unsigned size = (static_cast<unsigned>(std::bit_width(number | 1U)) + 6) / 7;
    const std::uint32_t groups =
        (number & 0x7FU) | (number & 0x3F80U) << 1U | (number & 0x1FC000U) << 2U | (number & 0xFE00000U) << 3U;
    const std::uint32_t bytes = groups | (0x80808080U & ((1U << (8 * (size - 1))) - 1));
    std::memcpy(out, &bytes, sizeof bytes);
    return out + size;
  }
  while (value >= 0x80) {
    *out++ = static_cast<char>(value | 0x80U);
    value >>= 7U;
  }
  *out++ = static_cast<char>(value);
  return out;
}

inline void append_varint(std::string& out, std::uint64_t value) {
  const std::size_t before = out.size();
  out.resize(before + kMaxVarintBytes);
  const char* const end = put_varint(out.data() + before, value);
  out.resize(static_cast<std::size_t>(end - out.data()));
}

// Reads a varint from [at, end) and advances `at` past it. Returns false if the bytes end too soon or hold more than
// 64 bits; `at` is then unspecified.
inline bool get_varint(const char*& at, const char* end, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && at != end; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(*at++);
    if (shift == 63 && byte > 1) return false;
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace refrain::store
