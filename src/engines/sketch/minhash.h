// MinHash: a signature of a set of features, made so that the share of equal lanes of two signatures is, on average,
// the Jaccard similarity of the two sets (Broder 1997).
//
// Lane i is the least, over the features x, of a[i] * f(x) + b[i] (mod 2^32). f(x) is the upper half of the feature,
// which is a well-mixed hash (all features are, except single tokens hashed with sdbm), and a[i] is odd. So each
// lane is a permutation of 32-bit numbers and chooses one of the features as if at random; if that feature is in
// both sets, both choose it. A feature that occurs twice counts once. 32 bits are a size that every SIMD target and
// a GPU multiply well.
//
// The factors and addends come from splitmix64, whose state begins at its own mix of the seed. Draw i is for lane i:
// its lower half, made odd, is the factor, and its upper half is the addend. So fewer lanes are the first ones of
// more lanes.
//
// Signatures are stored: one seed gives the same lanes on every machine and backend. A change of the formula
// requires a new kMinHashVersion (include/refrain/version.h).
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

  // Throws Error(invalid_argument) unless `lanes` is a multiple of 16 and at most kMaxLanes.
  MinHash(unsigned lanes, std::uint64_t seed);

  unsigned lanes() const { return static_cast<unsigned>(factors_.size()); }
  const std::vector<std::uint32_t>& factors() const { return factors_; }
  const std::vector<std::uint32_t>& addends() const { return addends_; }

  // Sets the signature of the empty set: all lanes have the greatest value.
  void start(std::uint32_t* signature) const;
  // Adds features to the set that `signature` represents. Allocates nothing.
  void add(std::span<const std::uint64_t> features, std::uint32_t* signature) const;
  // The same, one feature and one lane at a time: the reference that add() is tested and measured against.
  void add_plain(std::span<const std::uint64_t> features, std::uint32_t* signature) const;

 private:
  std::vector<std::uint32_t> factors_;
  std::vector<std::uint32_t> addends_;
};

// The number of equal bytes of two signatures, each lane reduced to its low byte. `size` is a multiple of 16. Uses
// SIMD.
unsigned equal_bytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t size);
unsigned equal_bytes_plain(const std::uint8_t* a, const std::uint8_t* b, std::size_t size);

// Appends, ascending, the indices of those of `count` consecutive signatures that have at least `least` bytes in
// common with `one`. Uses SIMD.
void find_equal_bytes(const std::uint8_t* one, const std::uint8_t* many, std::size_t count, std::size_t size,
                      unsigned least, std::vector<std::uint32_t>& found);

// The similarity estimated from `equal` equal bytes out of `lanes`. By chance, one in 256 of the other lanes is
// equal too.
double similarity_of(unsigned equal, unsigned lanes);
// The least number of equal bytes at which two texts may have the similarity `threshold`: pairs at the threshold
// pass unless their signatures deviate by more than four standard deviations.
unsigned least_equal(double threshold, unsigned lanes);

}  // namespace refrain::sketch
