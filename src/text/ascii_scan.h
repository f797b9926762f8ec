// The SIMD kernel of the tokenizers. It finds which bytes of a stretch belong to a set of ASCII characters and which
// are not ASCII, and copies the stretch with its ASCII letters in lower case.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace refrain::text {

// A set of ASCII characters, laid out for a byte shuffle: bit h of rows[l] says whether character 16 h + l is in it.
struct AsciiSet {
  alignas(16) std::array<std::uint8_t, 16> rows{};

  constexpr AsciiSet() = default;
  constexpr explicit AsciiSet(std::string_view characters) {
    for (const char c : characters) insert(static_cast<std::uint8_t>(c));
  }
  constexpr void insert(std::uint8_t c) { rows[c & 15U] = static_cast<std::uint8_t>(rows[c & 15U] | 1U << (c >> 4U)); }
  constexpr bool contains(std::uint8_t c) const { return c < 128 && (rows[c & 15U] >> (c >> 4U) & 1U) != 0; }
  constexpr AsciiSet complement() const {
    AsciiSet other;
    for (std::size_t i = 0; i < 16; ++i) other.rows[i] = static_cast<std::uint8_t>(~rows[i]);
    return other;
  }
};

// Bit i of members[b] says whether byte 64 b + i is in `set`; bits past `size` are 0. `non_ascii` is laid out in the
// same way. Both arrays hold (size + 63) / 64 words, and `copy` has room for size rounded up to 64. Letters are
// lower-cased only if `lower` is set. Reads only [text, text + size). Returns whether any byte is not ASCII.
bool scan_ascii(const char* text, std::size_t size, const AsciiSet& set, bool lower, std::uint64_t* members,
                std::uint64_t* non_ascii, char* copy);

// Writes to `out` the positions where membership changes in `members`, whose bits past `bits` are 0. Positions are
// numbered from `base`; `inside` is 1 while a token is open. Returns the end of what was written; up to eight
// positions after that may be overwritten.
[[gnu::always_inline]] inline std::uint32_t* emit_edges(std::uint64_t members, unsigned bits, std::uint64_t& inside,
                                                        std::uint32_t base, std::uint32_t* out) {
  std::uint64_t changes = (members ^ (members << 1U | inside)) & ~std::uint64_t{0} >> (64 - bits);
  inside = members >> (bits - 1);
  const int count = std::popcount(changes);
  // Writes eight at a time, without testing how many are left: surplus positions are overwritten later.
  for (std::uint32_t* to = out; changes != 0; to += 8) {
    for (int i = 0; i < 8; ++i) {
      to[i] = base + static_cast<std::uint32_t>(std::countr_zero(changes));
      changes &= changes - 1;
    }
  }
  return out + count;
}

// Writes the positions where membership begins and ends, alternately: the members are [edges[0], edges[1]),
// [edges[2], edges[3]), ... Returns their number. `edges` must have room for size + 9 values, the last of which may
// be written without being counted.
std::size_t find_edges(const std::uint64_t* members, std::size_t size, std::uint32_t* edges);

// The same as scan_ascii, a byte at a time: the oracle in its tests, and the fallback without SIMD.
bool scan_ascii_plain(const char* text, std::size_t size, const AsciiSet& set, bool lower, std::uint64_t* members,
                      std::uint64_t* non_ascii, char* copy);

}  // namespace refrain::text
