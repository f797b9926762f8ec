// Computes the keys of many n-grams at once (gram_key.h), on machines with SIMD multiplication of 64-bit integers.
//
// Rolling a polynomial is one long dependency chain: every token waits for the one before. But H of a window is H
// of its first part, times a power of B, plus H of the rest. So H of all windows of 2, 4, 8, ... tokens follows
// from H of windows half as long, in parallel, and H of windows of any length from a few of those.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engines/ngram/index/gram_key.h"

namespace refrain::ngram {

// window_keys() may read and write up to this many numbers past the end of its arrays.
inline constexpr std::size_t kWindowPadding = 16;

// Sets keys[i], for each i below `count`, to the key of the n-gram whose token hashes begin at hashes[i]. Returns
// false, without doing anything, if the machine lacks the SIMD instructions or n is too large for this to be
// faster.
bool window_keys(const std::uint64_t* hashes, std::size_t count, const GramShape& shape, std::uint64_t* keys);

}  // namespace refrain::ngram
