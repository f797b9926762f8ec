// Hashes of tokens: 64 bits from a token's normal form.
//
//   xxh3     the default; seeded
//   sdbm     h = 65599 h + byte, from 0. Leaves the high bits of short words empty: for comparison, never a default
//   jenkins  Bob Jenkins' lookup3, both halves; seeded
//   md5      the first 8 bytes of MD5, big-endian
//
// Stored fingerprints depend on these functions: a change to one requires a new kFingerprintVersion.
#pragma once

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

}  // namespace refrain::text
