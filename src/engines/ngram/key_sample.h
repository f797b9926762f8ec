// Samples the keys of a text, so that the range of keys can be cut into parts of similar size. Keys are skewed,
// because n-grams that begin alike have keys that begin alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::ngram {

// One thread's part of the sample: about one key out of every interval(). The interval is 1 at first and doubles
// whenever the sample is full.
class KeySampler {
 public:
  KeySampler(std::uint64_t seed, std::size_t most);

  // Returns the index of the first of the next `count` n-grams to sample, or `count` if it is none of them. Call it
  // again with the number of n-grams that follow the sampled one.
  std::size_t next(std::size_t count) {
    if (skip_ >= count) {
      skip_ -= count;
      return count;
    }
    return static_cast<std::size_t>(skip_);
  }
  void take(std::uint64_t key);

  std::uint64_t interval() const { return interval_; }
  // Thins the sample as if the interval had been `interval`, which must be a larger one, from the beginning.
  void thin(std::uint64_t interval);
  std::span<const std::uint64_t> keys() const { return keys_; }

 private:
  std::uint64_t random();

  std::uint64_t state_;
  std::size_t most_;
  std::uint64_t interval_ = 1;
  std::uint64_t skip_ = 0;  // n-grams to skip
  std::vector<std::uint64_t> keys_;
};

// Joins all parts, in ascending order.
Array<std::uint64_t> joined_sample(std::span<KeySampler> parts, MemoryBudget& budget);

// Cuts a range of keys into parts that hold about equally many n-grams, as far as equal keys allow it. Also defines
// the form in which n-grams of the range are kept: eight bytes that hold the position and as much of the key as
// fits.
//
// Keys that begin alike form dense clusters; the fewer tokens their prefixes depend on, the denser. So a part is
// cut into cells in the same way: a record holds the number of the cell, and the offset of the key within the cell,
// which takes few bits where there are many keys.
//
// Immutable; threads may share one.
class KeyParts {
 public:
  // Cuts the keys in [low, high] into at most `parts` parts of 2^cell_bits cells, or fewer cells if the sample is
  // small. The cuts are at keys of `sample`, which is ascending and within that range.
  KeyParts(std::uint64_t low, std::uint64_t high, std::span<const std::uint64_t> sample, std::size_t parts,
           unsigned cell_bits, unsigned position_bits, MemoryBudget& budget);

  std::size_t size() const { return ((begins_.size() - 1) >> cell_bits_) + 1; }
  std::uint64_t low() const { return low_; }
  std::uint64_t span() const { return high_ - low_; }

  struct Held {
    std::size_t part;
    std::uint64_t record;
  };
  // Within a part, records are ordered by the bits of the key that they hold, then by position.
  Held hold(std::uint64_t key, std::uint64_t position) const {
    const std::size_t cell = cell_of(key);
    const std::uint64_t number = cell & ((std::size_t{1} << cell_bits_) - 1);
    return {cell >> cell_bits_,
            (number << inside_bits_ | (key - begins_[cell]) >> shifts_[cell]) << position_bits_ | position};
  }

 private:
  std::size_t cell_of(std::uint64_t key) const {
    const auto top = static_cast<std::size_t>(key >> 48U);
    const std::uint64_t* begin = begins_.data() + tops_[top];
    std::size_t size = tops_[top + 1] - tops_[top];
    while (size > 0) {
      const std::size_t half = (size + 1) / 2;
      begin += begin[half - 1] <= key ? half : 0;
      size -= half;
    }
    return static_cast<std::size_t>(begin - begins_.data()) - 1;
  }

  std::uint64_t low_;
  std::uint64_t high_;
  unsigned position_bits_;
  unsigned cell_bits_;
  unsigned inside_bits_;         // bits of a record for the key's offset in its cell
  Array<std::uint64_t> begins_;  // first key of each cell
  Array<std::uint8_t> shifts_;   // number of low key bits that do not fit
  Array<std::uint32_t> tops_;    // tops_[t]: number of cells that begin below t << 48
};

}  // namespace refrain::ngram
