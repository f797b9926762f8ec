// MinHash: a signature of a set of features, made so that the share of equal lanes of two signatures is, on average, the
// Jaccard similarity of the two sets (Broder 1997).
//
// Lane i is the least, over the features x, of a[i] * f(x) + b[i] (mod 2^32), where f(x) is the upper half of the
// feature, which is a well-mixed hash (as all features are but single tokens under sdbm), and a[i] is odd. Each lane is
// a permutation of 32-bit numbers, so it chooses one of the features as if at random, the same one in both sets if that
// is in both. A feature that occurs twice counts once. 32 bits are what every SIMD target and a GPU multiply well.
//
// The factors and addends come from splitmix64, whose state begins at its own mix of the seed: draw i gives lane i, its
// lower half, made odd, the factor and its upper half the addend. So fewer lanes are the first of more.
//
// Signatures are stored: one seed gives the same lanes on every machine and backend. Whoever changes the formula raises
// kMinHashVersion (include/refrain/version.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace refrain::sketch {

// Immutable; threads may share one.
class MinHash {
 public:
  static constexpr unsigned kMaxLanes = 1024;

  // `lanes` is a multiple of 16, at most kMaxLanes; else Error(invalid_argument).
  MinHash(unsigned lanes, std::uint64_t seed);

  unsigned lanes() const { return static_cast<unsigned>(factors_.size()); }
  const std::vector<std::uint32_t>& factors() const { return factors_; }
  const std::vector<std::uint32_t>& addends() const { return addends_; }

  // The signature of the empty set: all lanes have the greatest value.
  void start(std::uint32_t* signature) const;
  // Adds features to a set whose signature that is. Allocates nothing.
  void add(std::span<const std::uint64_t> features, std::uint32_t* signature) const;
  // The same, one feature and one lane at a time: what add() is tested and measured against.
  void add_plain(std::span<const std::uint64_t> features, std::uint32_t* signature) const;

 private:
  std::vector<std::uint32_t> factors_;
  std::vector<std::uint32_t> addends_;
};

// Of lanes cut down to bytes (the low byte of each), how many are equal. `size` is a multiple of 16. SIMD.
unsigned equal_bytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t size);
unsigned equal_bytes_plain(const std::uint8_t* a, const std::uint8_t* b, std::size_t size);

// Of `count` signatures one after the other, the numbers of those of which at least `least` bytes are equal to those of
// `one`: appended, ascending. SIMD.
void find_equal_bytes(const std::uint8_t* one, const std::uint8_t* many, std::size_t count, std::size_t size,
                      unsigned least, std::vector<std::uint32_t>& found);

// The similarity that so many equal bytes of `lanes` speak for: chance makes one in 256 of the others equal.
double similarity_of(unsigned equal, unsigned lanes);
// Of two signatures, the fewest equal bytes with which the texts may be `threshold` similar: what is at the threshold is
// let through but for four standard deviations.
unsigned least_equal(double threshold, unsigned lanes);

}  // namespace refrain::sketch
