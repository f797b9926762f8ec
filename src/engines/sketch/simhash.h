// SimHash: a 64-bit summary of a bag of features, made so that similar bags differ in few bits.
//
// Bit i is the sign of the sum, over the features, of +1 where bit i of the feature's hash is set and -1 where it is
// not (Charikar 2002). A feature that occurs n times counts n times.
//
// The 64 sums are kept as vertical counters: plane p holds bit p of all 64 counts in one word, and sixteen features
// are added at once by a tree of carry-save adders, which takes about eight operations per feature instead of 64
// additions. The sign comes from comparing all 64 counts with half the number of features, plane by plane.
//
// Fingerprints are stored: one seed gives the same bits on every machine and backend. A change of the formula
// requires a new kFingerprintVersion.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace refrain::sketch {

class SimHashCounter {
 public:
  void add(std::span<const std::uint64_t> features);

  // The fingerprint of the empty bag is 0. `tie_sets_bit` is the value of bits whose sum is zero.
  std::uint64_t fingerprint(bool tie_sets_bit) const;

  std::uint64_t count() const { return count_; }

 private:
  void carry(std::uint64_t word, unsigned plane) {
    while (word != 0) {
      const std::uint64_t out = planes_[plane] & word;
      planes_[plane++] ^= word;
      word = out;
    }
  }

  std::array<std::uint64_t, 64> planes_{};
  std::uint64_t count_ = 0;
};

// The same with 64 plain sums: the reference that SimHashCounter is tested and measured against.
std::uint64_t simhash_plain(std::span<const std::uint64_t> features, bool tie_sets_bit);

}  // namespace refrain::sketch
