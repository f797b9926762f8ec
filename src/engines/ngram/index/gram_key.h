// The key of an n-gram: 64 bits computed from its prefixes, so that n-grams that begin alike are neighbors in key
// order and can be front-coded.
//
// H(j) is a polynomial, mod 2^64, of the hashes t of the first j tokens (XXH3 of the normal form, seed 0):
//   H(j) = t[0] B^(j-1) + t[1] B^(j-2) + ... + t[j-1]
// Rolling it on by one token takes one multiplication. From the top bit down, the key is
//   16 bits of mix(H(a)), a = max(1, n / 4);   16 bits of mix'(H(b)), b = max(1, n / 2);   32 bits of mix''(H(n))
// The three mixes differ, so that all 64 bits carry information even for n = 1.
//
// Stored data is ordered by key, so any change to the formula must raise kGramKeyVersion. N-grams with equal keys
// may still differ; their texts decide.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace refrain::ngram {

inline constexpr std::uint16_t kGramKeyVersion = 1;
inline constexpr std::uint64_t kGramBase = 0xD6E8FEB86659FD93ULL;

// The numbers of tokens that the three parts of a key depend on.
struct GramShape {
  explicit constexpr GramShape(unsigned tokens) : n(tokens), a(std::max(1U, tokens / 4)), b(std::max(1U, tokens / 2)) {}
  unsigned n;
  unsigned a;
  unsigned b;
};

// The factors of the three mixes.
inline constexpr std::array<std::uint64_t, 2> kTopMix{0x9FB21C651E98DF25ULL, 0xA24BAED4963EE407ULL};
inline constexpr std::array<std::uint64_t, 2> kMiddleMix{0xC2B2AE3D27D4EB4FULL, 0x9E3779B97F4A7C15ULL};
inline constexpr std::array<std::uint64_t, 2> kLowMix{0xBF58476D1CE4E5B9ULL, 0x94D049BB133111EBULL};

// Computes the key from H(a), H(b) and H(n).
constexpr std::uint64_t gram_key(std::uint64_t of_a, std::uint64_t of_b, std::uint64_t of_n) {
  const std::uint64_t top = mix(of_a, kTopMix[0], kTopMix[1]) >> 48U;
  const std::uint64_t middle = mix(of_b, kMiddleMix[0], kMiddleMix[1]) >> 48U;
  const std::uint64_t low = mix(of_n, kLowMix[0], kLowMix[1]) >> 32U;
  return top << 48U | middle << 32U | low;
}

// Computes H(hashes.size()).
constexpr std::uint64_t gram_polynomial(std::span<const std::uint64_t> hashes) {
  std::uint64_t sum = 0;
  for (const std::uint64_t hash : hashes) sum = sum * kGramBase + hash;
  return sum;
}

// Computes the key of an n-gram from the hashes of its tokens, of which there is at least one, in the slow, obvious
// way.
constexpr std::uint64_t gram_key(std::span<const std::uint64_t> hashes) {
  const GramShape shape(static_cast<unsigned>(hashes.size()));
  return gram_key(gram_polynomial(hashes.first(shape.a)), gram_polynomial(hashes.first(shape.b)),
                  gram_polynomial(hashes));
}

// The text of an n-gram (the normal forms of its tokens, joined by single spaces), and how it is split again.

// Splits the text of an n-gram into its n tokens. No token is empty. A token that contains a space is exactly that
// space, and then all tokens are single bytes or single characters, so a text can be split in only one way. Returns
// false if it is not the text of n tokens.
bool split_gram(std::string_view text, unsigned n, std::vector<std::string_view>& tokens);

// Returns the key of the n-gram with this text, or nullopt if it is not the text of n tokens.
std::optional<std::uint64_t> key_of_text(std::string_view text, unsigned n);

}  // namespace refrain::ngram
