// sdbm over the tokens of a block, with SIMD: h = 65599 h + byte, mod 2^64, from 0.
//
// Byte by byte that is one long chain of multiplications. But the hash is a polynomial in 65599, so neighbours can be
// joined first: bytes to pairs, pairs to fours, and only then are the fours multiplied out. Sixteen bytes are taken at
// once whatever the length of the token: the lengths of words cannot be predicted, and a wrong guess costs more.
#pragma once

#include <cstddef>
#include <cstdint>

namespace refrain::text {

// Token i is base[edges[2 i], edges[2 i + 1]), not empty; sixteen bytes before each may be read.
void sdbm_tokens(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t* out);

}  // namespace refrain::text
