// The key of an n-gram: 64 bits, made from its beginnings, so that n-grams that begin alike lie together in key order
// and can be front-coded.
//
// H(j) is the polynomial, mod 2^64, of the hashes t of the first j tokens (XXH3 of the normal form, seed 0):
//   H(j) = t[0] B^(j-1) + t[1] B^(j-2) + ... + t[j-1]
// It rolls on with one multiplication a token. From the top bit down, the key is
//   16 bits of mix(H(a)), a = max(1, n / 4);   16 bits of mix'(H(b)), b = max(1, n / 2);   32 bits of mix''(H(n))
// The three mixes differ, so that even for n = 1 all 64 bits are worth something.
//
// Keys order what is stored: whoever changes them raises kGramKeyVersion. Equal keys do not mean equal n-grams: the
// text decides.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/mix.h"

namespace refrain::ngram {

inline constexpr std::uint16_t kGramKeyVersion = 1;
inline constexpr std::uint64_t kGramBase = 0xD6E8FEB86659FD93ULL;

// How many tokens the three parts of a key look at.
struct GramShape {
  explicit constexpr GramShape(unsigned tokens) : n(tokens), a(std::max(1U, tokens / 4)), b(std::max(1U, tokens / 2)) {}
  unsigned n;
  unsigned a;
  unsigned b;
};

// The factors of its three mixes.
inline constexpr std::array<std::uint64_t, 2> kTopMix{0x9FB21C651E98DF25ULL, 0xA24BAED4963EE407ULL};
inline constexpr std::array<std::uint64_t, 2> kMiddleMix{0xC2B2AE3D27D4EB4FULL, 0x9E3779B97F4A7C15ULL};
inline constexpr std::array<std::uint64_t, 2> kLowMix{0xBF58476D1CE4E5B9ULL, 0x94D049BB133111EBULL};

// The key, of H(a), H(b) and H(n).
constexpr std::uint64_t gram_key(std::uint64_t of_a, std::uint64_t of_b, std::uint64_t of_n) {
  const std::uint64_t top = mix(of_a, kTopMix[0], kTopMix[1]) >> 48U;
  const std::uint64_t middle = mix(of_b, kMiddleMix[0], kMiddleMix[1]) >> 48U;
  const std::uint64_t low = mix(of_n, kLowMix[0], kLowMix[1]) >> 32U;
  return top << 48U | middle << 32U | low;
}

// H(hashes.size()).
constexpr std::uint64_t gram_polynomial(std::span<const std::uint64_t> hashes) {
  std::uint64_t sum = 0;
  for (const std::uint64_t hash : hashes) sum = sum * kGramBase + hash;
  return sum;
}

// The key of the n-gram whose tokens have these hashes, the slow and obvious way; at least one token.
constexpr std::uint64_t gram_key(std::span<const std::uint64_t> hashes) {
  const GramShape shape(static_cast<unsigned>(hashes.size()));
  return gram_key(gram_polynomial(hashes.first(shape.a)), gram_polynomial(hashes.first(shape.b)),
                  gram_polynomial(hashes));
}

}  // namespace refrain::ngram
