// Hashes of numbers and of bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "refrain/digest.h"

namespace refrain {

// Scatters the bits of a number so that every bit of the result depends on all of them.
//
// `first` and `second` must be odd; different values give different functions. Stored data may depend on this
// function (fingerprints, keys of n-grams), so it never changes.
constexpr std::uint64_t mix(std::uint64_t x, std::uint64_t first, std::uint64_t second) {
  x ^= x >> 32U;
  x *= first;
  x ^= x >> 29U;
  x *= second;
  return x ^ x >> 32U;
}

// A digest as 32 hexadecimal digits, and back; nullopt for any other text.
std::string to_hex(const Digest& digest);
std::optional<Digest> parse_digest(std::string_view text);

// A checksum for everything that is written to be read again: 64 bits of XXH3. To tell texts apart, 128 bits are used
// (refrain/digest.h).
std::uint64_t checksum(std::string_view bytes);

// A checksum for a file whose parts are written and summed by many threads: the checksums of the parts, each computed
// with its offset `place`, add up to that of the whole file, in any order and however the file is divided. It detects
// every single wrong word.
std::uint64_t checksum_at(std::uint64_t place, std::string_view bytes);

}  // namespace refrain
