// The SIMD kernels under everything that compares fingerprints: which of many lie within a number of bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace refrain::matching {

// Called for every hit, with the place of the hit in the list (or of both, where two from one list met).
using HitFn = void (*)(void* context, std::size_t i, std::size_t j);

// Every j with popcount(query ^ list[j]) <= distance, ascending; i is 0.
void find_within(std::uint64_t query, std::span<const std::uint64_t> list, unsigned distance, HitFn hit, void* context);

// Every i < j of the same group with popcount(list[i] ^ list[j]) <= distance. Group g ends at ends[g] and begins where
// the one before it ends. Groups of more than `largest` are passed over.
void find_pairs_within(std::span<const std::uint64_t> list, std::span<const std::uint32_t> ends, std::size_t largest,
                       unsigned distance, HitFn hit, void* context);

}  // namespace refrain::matching
