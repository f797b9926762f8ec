// Decodes and encodes UTF-8, one code point at a time, strictly: overlong forms, surrogates and anything above
// U+10FFFF are invalid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace [[gnu::visibility("default")]] refrain {

struct CodePoint {
  std::uint32_t value;  // kInvalid if the bytes are not UTF-8; `size` is then 1
  unsigned size;        // bytes

  static constexpr std::uint32_t kInvalid = 0xFFFFFFFF;
  bool valid() const { return value != kInvalid; }
};

// Decodes the code point that begins at text[position]; position must be below text.size().
inline CodePoint decode_utf8(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[position + i]); };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const std::uint32_t lead = byte(0);
  const std::size_t left = text.size() - position;
  if (lead < 0x80) return {lead, 1};
  if (lead >= 0xC2 && lead <= 0xDF && left >= 2 && follows(1)) return {(lead & 0x1FU) << 6U | (byte(1) & 0x3FU), 2};
  if (lead >= 0xE0 && lead <= 0xEF && left >= 3 && follows(1) && follows(2)) {
    const std::uint32_t value = (lead & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    if (value >= 0x800 && (value < 0xD800 || value > 0xDFFF)) return {value, 3};
  }
  if (lead >= 0xF0 && lead <= 0xF4 && left >= 4 && follows(1) && follows(2) && follows(3)) {
    const std::uint32_t value =
        (lead & 0x07U) << 18U | (byte(1) & 0x3FU) << 12U | (byte(2) & 0x3FU) << 6U | (byte(3) & 0x3FU);
    if (value >= 0x10000 && value <= 0x10FFFF) return {value, 4};
  }
  return {CodePoint::kInvalid, 1};
}

// Whether a code point should be escaped rather than shown: control characters (including line breaks and tabs),
// non-ASCII line separators, and marks that change the direction of writing.
constexpr bool is_unseen(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 || code == 0x061C ||
         code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// Returns the position at or before `at` where a character begins, at most three bytes back.
inline std::size_t boundary_before(std::string_view text, std::size_t at) {
  for (std::size_t back = 0; back < 4 && back <= at; ++back)
    if (at - back >= text.size() || (static_cast<unsigned char>(text[at - back]) & 0xC0U) != 0x80U) return at - back;
  return at;
}

// Returns the position at or after `at` where a character begins or the text ends, at most three bytes ahead.
inline std::size_t boundary_after(std::string_view text, std::size_t at) {
  for (std::size_t on = 0; on < 4; ++on)
    if (at + on >= text.size() || (static_cast<unsigned char>(text[at + on]) & 0xC0U) != 0x80U) return at + on;
  return at;
}

// Writes the UTF-8 encoding of a valid code point to `out`, which must have room for 4 bytes. Returns the number of
// bytes written.
inline unsigned encode_utf8(std::uint32_t value, char* out) {
  const auto put = [&](unsigned i, std::uint32_t byte) { out[i] = static_cast<char>(byte); };
  if (value < 0x80) {
    put(0, value);
    return 1;
  }
  if (value < 0x800) {
    put(0, 0xC0U | value >> 6U);
    put(1, 0x80U | (value & 0x3FU));
    return 2;
  }
  if (value < 0x10000) {
    put(0, 0xE0U | value >> 12U);
    put(1, 0x80U | (value >> 6U & 0x3FU));
    put(2, 0x80U | (value & 0x3FU));
    return 3;
  }
  put(0, 0xF0U | value >> 18U);
  put(1, 0x80U | (value >> 12U & 0x3FU));
  put(2, 0x80U | (value >> 6U & 0x3FU));
  put(3, 0x80U | (value & 0x3FU));
  return 4;
}

}  // namespace refrain
