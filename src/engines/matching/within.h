// SIMD kernels for comparing fingerprints: they find those that differ in at most a given number of bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace refrain::matching {

// Called for every hit, with its index j in the list, and the index i of the other member if it is from the same
// list.
using HitFn = void (*)(void* context, std::size_t i, std::size_t j);

// Finds every j with popcount(query ^ list[j]) <= distance, ascending; i is 0.
void find_within(std::uint64_t query, std::span<const std::uint64_t> list, unsigned distance, HitFn hit, void* context);

// Finds every i < j of the same group with popcount(list[i] ^ list[j]) <= distance. Group g ends at ends[g] and
// begins where the previous one ends. Groups of more than `largest` members are skipped.
void find_pairs_within(std::span<const std::uint64_t> list, std::span<const std::uint32_t> ends, std::size_t largest,
                       unsigned distance, HitFn hit, void* context);

}  // namespace refrain::matching
