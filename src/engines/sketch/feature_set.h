// Sets of features and how much two of them share: the truth that signatures only estimate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace refrain::sketch {

// Sorts and drops what occurs twice.
void make_set(std::vector<std::uint64_t>& features);

// How many two sets have in common. Stops early, with any number below `least`, once it can no longer be that many.
std::size_t common_features(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t least = 0);

// Their Jaccard similarity: what they share, of all that is in either. 1 for two empty sets.
double jaccard(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

// The same; 0 where it is less than `threshold`, which is sooner known.
double jaccard_from(double threshold, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

// The least number in common with which sets of such sizes are `threshold` similar.
std::size_t common_for(double threshold, std::size_t a, std::size_t b);

}  // namespace refrain::sketch
