// Sets of features and how much two of them share: the exact values that signatures only estimate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace refrain::sketch {

// Sorts the features and removes duplicates.
void make_set(std::vector<std::uint64_t>& features);

// The number of features that two sets have in common. Once this can no longer reach `least`, any smaller number may
// be returned.
std::size_t common_features(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t least = 0);

// The Jaccard similarity: the share of the union that is in both sets. 1 for two empty sets.
double jaccard(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

// The same, but 0 if it is less than `threshold`, which is faster to determine.
double jaccard_from(double threshold, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

// The least number of common features for which sets of these sizes have a similarity of at least `threshold`.
std::size_t common_for(double threshold, std::size_t a, std::size_t b);

}  // namespace refrain::sketch
