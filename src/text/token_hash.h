// Hashes of tokens: 64 bits from a token's normal form.
//
//   xxh3     the default; seeded
//   sdbm     h = 65599 h + byte, from 0. Leaves the high bits of short words empty: kept to compare with, never a
//   default jenkins  Bob Jenkins' lookup3, both halves; seeded
//   md5      the first 8 bytes of MD5, big-endian
//
// Stored fingerprints rest on these: a change raises kFingerprintVersion.
#pragma once

#include <cstdint>
#include <string_view>

#include "refrain/fingerprint.h"
#include "text/tokenizer.h"

namespace refrain::text {

std::uint64_t hash_sdbm(std::string_view bytes);
std::uint64_t hash_jenkins(std::string_view bytes, std::uint64_t seed);
std::uint64_t hash_md5(std::string_view bytes);

// One token. The seed is ignored by hashes that have none.
std::uint64_t hash_token(HashKind kind, std::string_view bytes, std::uint64_t seed);

// All tokens of a block; `out` has room for block.size(). The same values, faster.
void hash_tokens(HashKind kind, const TokenBlock& block, std::uint64_t seed, std::uint64_t* out);

}  // namespace refrain::text
