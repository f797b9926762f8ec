#include "base/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/pieces.h"

namespace refrain {

static_assert(std::endian::native == std::endian::little, "words are summed as they lie in memory");

std::string to_hex(const Digest& digest) {
  return fmt::format("{:016x}{:016x}", digest.high, digest.low);
}

std::optional<Digest> parse_digest(std::string_view text) {
  Digest digest;
  const auto part = [&](std::size_t begin, std::uint64_t& value) {
    const char* end = text.data() + begin + 16;
    return std::from_chars(text.data() + begin, end, value, 16).ptr == end;
  };
  if (text.size() != 32 || !part(0, digest.high) || !part(16, digest.low)) return std::nullopt;
  return digest;
}

std::uint64_t checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

// The sum of all words of eight bytes, each multiplied by an odd number derived from its place. A word that is
// divided between two parts is summed correctly, because the bytes that a part does not have count as zero.
std::uint64_t checksum_at(std::uint64_t place, std::string_view bytes) {
  std::uint64_t word = place / sizeof(std::uint64_t);
  const auto factor = [&] {
    const std::uint64_t mixed = ++word * 0x9e3779b97f4a7c15U;
    return (mixed ^ mixed >> 32U) | 1U;
  };
  std::uint64_t sum = 0;
  const auto add_some = [&](std::size_t shift, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << 8 * (shift + i);
    sum += value * factor();
    bytes.remove_prefix(size);
  };
  if (const std::size_t shift = place % sizeof(std::uint64_t); shift != 0 && !bytes.empty())
    add_some(shift, std::min(sizeof(std::uint64_t) - shift, bytes.size()));
  const char* at = bytes.data();
  for (const char* const end = at + bytes.size() / sizeof(std::uint64_t) * sizeof(std::uint64_t); at != end;
       at += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    sum += value * factor();
  }
  bytes.remove_prefix(static_cast<std::size_t>(at - bytes.data()));
  if (!bytes.empty()) add_some(0, bytes.size());
  return sum;
}

Digest digest(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

void digests(const TextColumn& texts, Digest* out, const Context& context) {
  for_each_piece(context, texts.size(), [&](unsigned /*worker*/, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = texts.valid(i) ? digest(texts[i]) : Digest();
  });
}

}  // namespace refrain
