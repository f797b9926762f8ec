#include "text/token_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

namespace refrain::text {

namespace {

static_assert(std::endian::native == std::endian::little, "the hashes below read words in little-endian order");

template <class Word>
Word load(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// ---- lookup3

struct Lookup3 {
  std::uint32_t a, b, c;

  void mix() {
    step(a, c, b, 4);
    step(b, a, c, 6);
    step(c, b, a, 8);
    step(a, c, b, 16);
    step(b, a, c, 19);
    step(c, b, a, 4);
  }
  void finish() {
    fold(c, b, 14);
    fold(a, c, 11);
    fold(b, a, 25);
    fold(c, b, 16);
    fold(a, c, 4);
    fold(b, a, 14);
    fold(c, b, 24);
  }

 private:
  static void step(std::uint32_t& x, std::uint32_t& y, const std::uint32_t& z, int shift) {
    x = (x - y) ^ std::rotl(y, shift);
    y += z;
  }
  static void fold(std::uint32_t& x, std::uint32_t y, int shift) { x = (x ^ y) - std::rotl(y, shift); }
};

// ---- MD5 (RFC 1321)

constexpr std::array<std::uint32_t, 64> kMd5Sines{
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr std::array<std::array<int, 4>, 4> kMd5Shifts{
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

void md5_block(std::array<std::uint32_t, 4>& state, const char* block) {
  auto [a, b, c, d] = state;
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned round = i / 16;
    std::uint32_t mixed = 0;
    unsigned word = 0;
    switch (round) {
      case 0:
        mixed = (b & c) | (~b & d);
        word = i;
        break;
      case 1:
        mixed = (d & b) | (~d & c);
        word = (5 * i + 1) % 16;
        break;
      case 2:
        mixed = b ^ c ^ d;
        word = (3 * i + 5) % 16;
        break;
      default:
        mixed = c ^ (b | ~d);
        word = 7 * i % 16;
        break;
    }
    const std::uint32_t sum = a + mixed + kMd5Sines[i] + load<std::uint32_t>(block + std::size_t{4} * word);
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kMd5Shifts[round][i % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

template <class Hash>
void for_each_token(const TokenBlock& block, std::uint64_t* out, Hash hash) {
  const std::uint32_t* edges = block.flat_edges();
  const char* base = block.normal_base();
  const std::size_t size = block.size();
  for (std::size_t i = 0; i < size; ++i) out[i] = hash(base + edges[2 * i], base + edges[2 * i + 1]);
}

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::uint64_t hash_sdbm(std::string_view bytes) {
  std::uint64_t hash = 0;
  for (const char c : bytes) hash = hash * 65599 + static_cast<std::uint8_t>(c);
  return hash;
}

std::uint64_t hash_jenkins(std::string_view bytes, std::uint64_t seed) {
  const std::uint32_t start =
      0xDEADBEEFU + static_cast<std::uint32_t>(bytes.size()) + static_cast<std::uint32_t>(seed >> 32U);
  Lookup3 state{start, start, start + static_cast<std::uint32_t>(seed)};
  const auto absorb = [&](const char* at) {
    state.a += load<std::uint32_t>(at);
    state.b += load<std::uint32_t>(at + 4);
    state.c += load<std::uint32_t>(at + 8);
  };
  while (bytes.size() > 12) {
    absorb(bytes.data());
    state.mix();
    bytes.remove_prefix(12);
  }
  if (!bytes.empty()) {
    std::array<char, 12> last{};
    std::copy(bytes.begin(), bytes.end(), last.begin());
    absorb(last.data());
    state.finish();
  }
  return std::uint64_t{state.c} << 32U | state.b;
}

std::uint64_t hash_md5(std::string_view bytes) {
  std::array<std::uint32_t, 4> state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (; bytes.size() >= 64; bytes.remove_prefix(64)) md5_block(state, bytes.data());
  std::array<char, 128> last{};
  std::copy(bytes.begin(), bytes.end(), last.begin());
  last[bytes.size()] = static_cast<char>(0x80);
  const std::size_t padded = bytes.size() < 56 ? 64 : 128;
  std::memcpy(last.data() + padded - 8, &bits, 8);
  for (std::size_t at = 0; at < padded; at += 64) md5_block(state, last.data() + at);
  // The digest is the state in little-endian order; its first eight bytes are returned as one big-endian number.
  return std::uint64_t{__builtin_bswap32(state[0])} << 32U | __builtin_bswap32(state[1]);
}

std::uint64_t hash_token(HashKind kind, std::string_view bytes, std::uint64_t seed) {
  switch (kind) {
    case HashKind::xxh3:
      return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
    case HashKind::sdbm:
      return hash_sdbm(bytes);
    case HashKind::jenkins:
      return hash_jenkins(bytes, seed);
    case HashKind::md5:
      return hash_md5(bytes);
  }
  return 0;
}

void hash_tokens(HashKind kind, const TokenBlock& block, std::uint64_t seed, std::uint64_t* out) {
  switch (kind) {
    case HashKind::xxh3:
      return xxh3_tokens(block.normal_base(), block.flat_edges(), block.size(), seed, out);
    case HashKind::sdbm:
      return sdbm_tokens(block.normal_base(), block.flat_edges(), block.size(), out);
    case HashKind::jenkins:
      return for_each_token(
          block, out, [seed](const char* begin, const char* end) { return hash_jenkins(view(begin, end), seed); });
    case HashKind::md5:
      return for_each_token(block, out, [](const char* begin, const char* end) { return hash_md5(view(begin, end)); });
  }
}

}  // namespace refrain::text

namespace refrain {

std::vector<std::string_view> hash_names() {
  return {"xxh3", "sdbm", "jenkins", "md5"};
}

}  // namespace refrain
