// XXH3 (64 bits) over the tokens of a block.
//
// The hash takes different paths for 1 to 3 bytes, 4 to 8, 9 to 16 and more. The lengths of words cannot be
// predicted, and a misprediction costs as much as the hash. So, where SIMD multiplies 64 bits, eight tokens are
// hashed by the first two paths at once, each lane takes the result for its length, and only longer tokens are hashed
// one by one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace refrain::text {

// Token i is base[edges[2 i], edges[2 i + 1]) and not empty. The eight bytes after the beginning of each token may be
// read.
void xxh3_tokens(const char* base, const std::uint32_t* edges, std::size_t tokens, std::uint64_t seed,
                 std::uint64_t* out);

}  // namespace refrain::text
