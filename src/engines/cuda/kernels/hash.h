// The hashes of tokens and texts. nvcc compiles them for the device, other compilers for the host, where they can be
// tested without a device.
//
// They take bytes from registers. For a token of 1 to 16 bytes, `first` begins with the token and, if it has more
// than 8 bytes, `last` ends with it. `Bytes` is a function that returns the 8-byte word that begins at a given
// offset.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define REFRAIN_HOST_DEVICE __device__ __forceinline__
#define REFRAIN_NOINLINE __device__ __noinline__ inline  // rarely called: keeps its frequent callers small
#define REFRAIN_TABLE __device__ constexpr
#define REFRAIN_UNROLL _Pragma("unroll")
#else
#define REFRAIN_HOST_DEVICE inline
#define REFRAIN_NOINLINE inline
#define REFRAIN_TABLE constexpr
#define REFRAIN_UNROLL
#endif

namespace refrain::cuda {

// ---- XXH3.

// The default secret of the hash, as words.
REFRAIN_TABLE std::uint64_t kXxh3Secret[24] = {
    0xbe4ba423396cfeb8ULL, 0x1cad21f72c81017cULL, 0xdb979083e96dd4deULL, 0x1f67b3b7a4a44072ULL, 0x78e5c0cc4ee679cbULL,
    0x2172ffcc7dd05a82ULL, 0x8e2443f7744608b8ULL, 0x4c263a81e69035e0ULL, 0xcb00c391bb52283cULL, 0xa32e531b8b65d088ULL,
    0x4ef90da297486471ULL, 0xd8acdea946ef1938ULL, 0x3f349ce33f76faa8ULL, 0x1d4f0bc7c7bbdcf9ULL, 0x3159b4cd4be0518aULL,
    0x647378d9c97e9fc8ULL, 0xc3ebd33483acc5eaULL, 0xeb6313faffa081c5ULL, 0x49daf0b751dd0d17ULL, 0x9e68d429265516d3ULL,
    0xfca1477d58be162bULL, 0xce31d07ad1b8f88fULL, 0x280416958f3acb45ULL, 0x7e404bbbcafbd7afULL};

REFRAIN_HOST_DEVICE std::uint64_t xxh3_secret(unsigned at) {
  const unsigned shift = at % 8 * 8;
  const std::uint64_t low = kXxh3Secret[at / 8];
  return shift == 0 ? low : low >> shift | kXxh3Secret[at / 8 + 1] << (64 - shift);
}

inline constexpr std::uint64_t kXxhPrime1 = 0x9E3779B185EBCA87ULL;
inline constexpr std::uint64_t kXxhPrime2 = 0xC2B2AE3D27D4EB4FULL;
inline constexpr std::uint64_t kXxhPrime3 = 0x165667B19E3779F9ULL;
inline constexpr std::uint64_t kXxhPrime4 = 0x85EBCA77C2B2AE63ULL;
inline constexpr std::uint64_t kXxhPrime5 = 0x27D4EB2F165667C5ULL;
inline constexpr std::uint64_t kXxhMix1 = 0x165667919E3779F9ULL;
inline constexpr std::uint64_t kXxhMix2 = 0x9FB21C651E98DF25ULL;

struct Wide {
  std::uint64_t low;
  std::uint64_t high;
};

REFRAIN_HOST_DEVICE Wide multiply(std::uint64_t a, std::uint64_t b) {
#ifdef __CUDA_ARCH__
  return {a * b, __umul64hi(a, b)};
#else
  __extension__ using Product = unsigned __int128;
  const Product product = static_cast<Product>(a) * b;
  return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64U)};
#endif
}
REFRAIN_HOST_DEVICE std::uint64_t multiply_fold(std::uint64_t a, std::uint64_t b) {
  const Wide product = multiply(a, b);
  return product.low ^ product.high;
}

REFRAIN_HOST_DEVICE std::uint32_t swap_bytes(std::uint32_t x) {
#ifdef __CUDA_ARCH__
  return __byte_perm(x, 0, 0x0123);
#else
  return __builtin_bswap32(x);
#endif
}
REFRAIN_HOST_DEVICE std::uint64_t swap_bytes(std::uint64_t x) {
  return std::uint64_t{swap_bytes(static_cast<std::uint32_t>(x))} << 32U |
         swap_bytes(static_cast<std::uint32_t>(x >> 32U));
}
REFRAIN_HOST_DEVICE std::uint64_t rotate_left(std::uint64_t x, unsigned by) {
  return x << by | x >> (64 - by);
}

REFRAIN_HOST_DEVICE std::uint64_t xxh64_avalanche(std::uint64_t hash) {
  hash = (hash ^ hash >> 33U) * kXxhPrime2;
  hash = (hash ^ hash >> 29U) * kXxhPrime3;
  return hash ^ hash >> 32U;
}
REFRAIN_HOST_DEVICE std::uint64_t xxh3_avalanche(std::uint64_t hash) {
  hash = (hash ^ hash >> 37U) * kXxhMix1;
  return hash ^ hash >> 32U;
}

// The hash of 1 to 16 bytes.
REFRAIN_HOST_DEVICE std::uint64_t xxh3_of_16(std::uint64_t first, std::uint64_t last, unsigned size,
                                             std::uint64_t seed) {
  if (size <= 3) {
    const auto byte = [&](unsigned at) { return static_cast<std::uint32_t>(first) >> 8 * at & 255U; };
    const std::uint32_t word = byte(0) << 16U | byte(size / 2) << 24U | byte(size - 1) | size << 8U;
    return xxh64_avalanche(word ^ ((std::uint64_t{0x396cfeb8U} ^ 0xbe4ba423U) + seed));
  }
  if (size <= 8) {
    const std::uint64_t flip = (xxh3_secret(8) ^ xxh3_secret(16)) -
                               (seed ^ std::uint64_t{swap_bytes(static_cast<std::uint32_t>(seed))} << 32U);
    const auto end = static_cast<std::uint32_t>(first >> (8 * size - 32));
    std::uint64_t hash = (end + (first << 32U)) ^ flip;
    hash ^= rotate_left(hash, 49) ^ rotate_left(hash, 24);
    hash *= kXxhMix2;
    hash ^= (hash >> 35U) + size;
    hash *= kXxhMix2;
    return hash ^ hash >> 28U;
  }
  const std::uint64_t low = first ^ ((xxh3_secret(24) ^ xxh3_secret(32)) + seed);
  const std::uint64_t high = last ^ ((xxh3_secret(40) ^ xxh3_secret(48)) - seed);
  return xxh3_avalanche(size + swap_bytes(low) + high + multiply_fold(low, high));
}

// Combines two words of the input with two words of the secret.
template <class Bytes>
REFRAIN_HOST_DEVICE std::uint64_t xxh3_mix_16(const Bytes& bytes, unsigned at, unsigned secret, std::uint64_t seed) {
  return multiply_fold(bytes(at) ^ (xxh3_secret(secret) + seed), bytes(at + 8) ^ (xxh3_secret(secret + 8) - seed));
}

inline constexpr unsigned kXxh3MostShort = 240;  // longer inputs take another path

// The hash of 17 to 240 bytes.
template <class Bytes>
REFRAIN_HOST_DEVICE std::uint64_t xxh3_of_240(const Bytes& bytes, unsigned size, std::uint64_t seed) {
  std::uint64_t sum = size * kXxhPrime1;
  if (size <= 128) {
    // Takes pairs of pieces, from the middle outward.
    for (unsigned i = (size - 1) / 32 + 1; i-- > 0;) {
      sum += xxh3_mix_16(bytes, 16 * i, 32 * i, seed);
      sum += xxh3_mix_16(bytes, size - 16 * (i + 1), 32 * i + 16, seed);
    }
    return xxh3_avalanche(sum);
  }
  for (unsigned i = 0; i < 8; ++i) sum += xxh3_mix_16(bytes, 16 * i, 16 * i, seed);
  sum = xxh3_avalanche(sum);
  for (unsigned i = 8; i < size / 16; ++i) sum += xxh3_mix_16(bytes, 16 * i, 16 * (i - 8) + 3, seed);
  return xxh3_avalanche(sum + xxh3_mix_16(bytes, size - 16, 136 - 17, seed));
}

// ---- XXH3 in 128 bits, without a seed.

// The hash of at most 16 bytes.
REFRAIN_HOST_DEVICE Wide xxh3_wide_of_16(std::uint64_t first, std::uint64_t last, unsigned size) {
  if (size == 0)
    return {xxh64_avalanche(xxh3_secret(64) ^ xxh3_secret(72)), xxh64_avalanche(xxh3_secret(80) ^ xxh3_secret(88))};
  if (size <= 3) {
    const auto byte = [&](unsigned at) { return static_cast<std::uint32_t>(first) >> 8 * at & 255U; };
    const std::uint32_t low = byte(0) << 16U | byte(size / 2) << 24U | byte(size - 1) | size << 8U;
    const std::uint32_t swapped = swap_bytes(low);
    const std::uint32_t high = swapped << 13U | swapped >> 19U;
    return {xxh64_avalanche(low ^ (std::uint64_t{0x396cfeb8U} ^ 0xbe4ba423U)),
            xxh64_avalanche(high ^ (std::uint64_t{0x2c81017cU} ^ 0x1cad21f7U))};
  }
  if (size <= 8) {
    const auto begin = static_cast<std::uint32_t>(first);
    const auto end = static_cast<std::uint32_t>(first >> (8 * size - 32));
    const std::uint64_t keyed = (begin + (std::uint64_t{end} << 32U)) ^ xxh3_secret(16) ^ xxh3_secret(24);
    Wide hash = multiply(keyed, kXxhPrime1 + (size << 2U));
    hash.high += hash.low << 1U;
    hash.low ^= hash.high >> 3U;
    hash.low = (hash.low ^ hash.low >> 35U) * kXxhMix2;
    hash.low ^= hash.low >> 28U;
    hash.high = xxh3_avalanche(hash.high);
    return hash;
  }
  const std::uint64_t low_flip = xxh3_secret(32) ^ xxh3_secret(40);
  const std::uint64_t high_flip = xxh3_secret(48) ^ xxh3_secret(56);
  Wide product = multiply(first ^ last ^ low_flip, kXxhPrime1);
  const std::uint64_t high = last ^ high_flip;
  product.low += std::uint64_t{size - 1} << 54U;
  product.high += high + (high & 0xFFFFFFFFULL) * (0x85EBCA77U - 1U);
  product.low ^= swap_bytes(product.high);
  Wide hash = multiply(product.low, kXxhPrime2);
  hash.high += product.high * kXxhPrime2;
  return {xxh3_avalanche(hash.low), xxh3_avalanche(hash.high)};
}

// Adds two pieces of 16 bytes to both halves of the sum.
template <class Bytes>
REFRAIN_HOST_DEVICE void xxh3_wide_mix_32(Wide& sum, const Bytes& bytes, unsigned one, unsigned two, unsigned secret) {
  sum.low += xxh3_mix_16(bytes, one, secret, 0);
  sum.low ^= bytes(two) + bytes(two + 8);
  sum.high += xxh3_mix_16(bytes, two, secret + 16, 0);
  sum.high ^= bytes(one) + bytes(one + 8);
}

// The hash of 17 to 240 bytes.
template <class Bytes>
REFRAIN_HOST_DEVICE Wide xxh3_wide_of_240(const Bytes& bytes, unsigned size) {
  Wide sum{size * kXxhPrime1, 0};
  if (size <= 128) {
    for (unsigned i = (size - 1) / 32 + 1; i-- > 0;) xxh3_wide_mix_32(sum, bytes, 16 * i, size - 16 * (i + 1), 32 * i);
  } else {
    for (unsigned i = 0; i < 4; ++i) xxh3_wide_mix_32(sum, bytes, 32 * i, 32 * i + 16, 32 * i);
    sum = {xxh3_avalanche(sum.low), xxh3_avalanche(sum.high)};
    for (unsigned i = 4; i < size / 32; ++i) xxh3_wide_mix_32(sum, bytes, 32 * i, 32 * i + 16, 3 + 32 * (i - 4));
    xxh3_wide_mix_32(sum, bytes, size - 16, size - 32, 136 - 17 - 16);
  }
  const std::uint64_t high = sum.low * kXxhPrime1 + sum.high * kXxhPrime4 + size * kXxhPrime2;
  return {xxh3_avalanche(sum.low + sum.high), 0 - xxh3_avalanche(high)};
}

// Longer inputs have eight sums over stripes of 64 bytes, which are scrambled after every block of sixteen stripes.
inline constexpr unsigned kXxh3Stripe = 64;
inline constexpr unsigned kXxh3BlockStripes = 16;
REFRAIN_TABLE std::uint64_t kXxh3Sums[8] = {0xC2B2AE3DULL, kXxhPrime1,    kXxhPrime2, kXxhPrime3,
                                            kXxhPrime4,    0x85EBCA77ULL, kXxhPrime5, 0x9E3779B1ULL};

// Returns what word `lane` of a stripe adds to sum `lane`. To the neighboring sum, lane ^ 1, it adds the word
// itself.
REFRAIN_HOST_DEVICE std::uint64_t xxh3_accumulate(std::uint64_t word, std::uint64_t secret) {
  const std::uint64_t keyed = word ^ secret;
  return (keyed & 0xFFFFFFFFULL) * (keyed >> 32U);
}
REFRAIN_HOST_DEVICE std::uint64_t xxh3_scramble(std::uint64_t sum, unsigned lane) {
  return (sum ^ sum >> 47U ^ xxh3_secret(128 + 8 * lane)) * 0x9E3779B1ULL;
}
// Returns what sums 2 * pair and 2 * pair + 1 add to the half of the result whose secret begins at `secret`.
REFRAIN_HOST_DEVICE std::uint64_t xxh3_merge(std::uint64_t even, std::uint64_t odd, unsigned pair, unsigned secret) {
  return multiply_fold(even ^ xxh3_secret(secret + 16 * pair), odd ^ xxh3_secret(secret + 16 * pair + 8));
}

// ---- Windows (text/windows.h), and the function that mixes them (base/hash.h).

inline constexpr std::uint64_t kWindowBase = 0xD6E8FEB86659FD93ULL;

REFRAIN_HOST_DEVICE std::uint64_t mix_window(std::uint64_t x) {
  x = (x ^ x >> 32U) * 0x9FB21C651E98DF25ULL;
  x = (x ^ x >> 29U) * 0xA24BAED4963EE407ULL;
  return x ^ x >> 32U;
}

}  // namespace refrain::cuda
