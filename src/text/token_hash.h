// Hashes of tokens: 64 bits from a token's normal form.
//
//   xxh3     the default; seeded
//   sdbm     h = 65599 h + byte, from 0. Leaves the high bits of short words empty: for comparison, never a default
//   jenkins  Bob Jenkins' lookup3, both halves; seeded
//   md5      the first 8 bytes of MD5, big-endian
//
// Stored fingerprints depend on these functions: a change to one requires a new kFingerprintVersion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "refrain/fingerprint.h"
#include "text/tokenizer.h"

namespace refrain::text {

std::uint64_t hash_sdbm(std::string_view bytes);
std::uint64_t hash_jenkins(std::string_view bytes, std::uint64_t seed);
std::uint64_t hash_md5(std::string_view bytes);

// Hashes one token. Hashes without a seed ignore it.
std::uint64_t hash_token(HashKind kind, std::string_view bytes, std::uint64_t seed);

// Hashes all tokens of a block. `out` must have room for block.size() values. The same values as hash_token(),
// faster.
void hash_tokens(HashKind kind, const TokenBlock& block, std::uint64_t seed, std::uint64_t* out);

// sdbm over the tokens of a block, with SIMD: h = 65599 h + byte, mod 2^64, from 0.
//
// Byte by byte, this is one long chain of multiplications. But the hash is a polynomial in 65599, so neighbours can
// be combined first: bytes to pairs, pairs to fours, and only the fours are multiplied out. Sixteen bytes are
// processed at once whatever the length of the token, because the lengths of words cannot be predicted, and a
// misprediction costs more.
//
// Token i is base[edges[2 i], edges[2 i + 1]) and not empty. The sixteen bytes before each token may be read.
void sdbm_tokens(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t* out);

// XXH3 (64 bits) over the tokens of a block.
//
// The hash takes different paths for 1 to 3 bytes, 4 to 8, 9 to 16 and more. The lengths of words cannot be
// predicted, and a misprediction costs as much as the hash. So, where SIMD multiplies 64 bits, eight tokens are
// hashed by the first two paths at once, each lane takes the result for its length, and only longer tokens are hashed
// one by one.
//
// Token i is base[edges[2 i], edges[2 i + 1]) and not empty. The eight bytes after the beginning of each token may be
// read.
void xxh3_tokens(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t seed,
                 std::uint64_t* out);

}  // namespace refrain::text
