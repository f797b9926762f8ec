// The keys of many n-grams at once (gram_key.h), where SIMD multiplies 64 bits.
//
// Rolling a polynomial on is one long chain: every token waits for the one before. But H of a window is H of its first
// part, times a power of B, plus H of the rest. So H of every 2, 4, 8, ... tokens follows from H of half as many, for
// all windows side by side, and H of any length from a few of those.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engines/ngram/index/gram_key.h"

namespace refrain::ngram {

// Past the end of what window_keys() reads and writes, so many numbers more may be read and written.
inline constexpr std::size_t kWindowPadding = 16;

// keys[i], for i below `count`: the key of the n-gram whose tokens' hashes begin at hashes[i]. False, with nothing
// done, where this machine has no SIMD for it or n is too large for it to pay.
bool window_keys(const std::uint64_t* hashes, std::size_t count, const GramShape& shape, std::uint64_t* keys);

}  // namespace refrain::ngram
