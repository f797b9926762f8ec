// sdbm over the tokens of a block, with SIMD: h = 65599 h + byte, mod 2^64, from 0.
//
// Byte by byte, this is one long chain of multiplications. But the hash is a polynomial in 65599, so neighbours can
// be combined first: bytes to pairs, pairs to fours, and only the fours are multiplied out. Sixteen bytes are
// processed at once whatever the length of the token, because the lengths of words cannot be predicted, and a
// misprediction costs more.
#pragma once

#include <cstddef>
#include <cstdint>

namespace refrain::text {

// Token i is base[edges[2 i], edges[2 i + 1]) and not empty. The sixteen bytes before each token may be read.
void sdbm_tokens(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t* out);

}  // namespace refrain::text
