// A sample of the keys of a text, to cut the range of keys where its n-grams are: keys are skewed, since n-grams that
// begin alike have keys that begin alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::ngram {

// One thread's part of the sample: about one key in interval(). It begins to take many, and fewer as they become too
// many.
class KeySampler {
 public:
  KeySampler(std::uint64_t seed, std::size_t most);

  // Of the next `count` n-grams, the first one to take, or `count` where it is none of them. Call again with what is
  // left behind the one taken.
  std::size_t next(std::size_t count) {
    if (skip_ >= count) {
      skip_ -= count;
      return count;
    }
    return static_cast<std::size_t>(skip_);
  }
  void take(std::uint64_t key);

  std::uint64_t interval() const { return interval_; }
  // As if the interval had been `interval`, a larger one, from the beginning.
  void thin(std::uint64_t interval);
  std::span<const std::uint64_t> keys() const { return keys_; }

 private:
  std::uint64_t random();

  std::uint64_t state_;
  std::size_t most_;
  std::uint64_t interval_ = 1;
  std::uint64_t skip_ = 0;  // n-grams to pass over
  std::vector<std::uint64_t> keys_;
};

// All parts together, ascending.
Array<std::uint64_t> joined_sample(std::span<KeySampler> parts, MemoryBudget& budget);

// A range of keys cut into parts that hold about equally many n-grams, so far as equal keys allow it; and the form in
// which n-grams of it are kept: eight bytes that hold the position and as much of the key as there is room for.
//
// Keys that begin alike lie close together, and far from others: the more so the fewer tokens they are made of. So a
// part can be cut into cells in the same way: a record holds the number of the cell, and how far into it the key lies,
// which takes few bits where there are many keys.
//
// Immutable; threads may share one.
class KeyParts {
 public:
  // Keys in [low, high], cut at keys of `sample`, which is ascending and lies in that range, into `parts` or fewer,
  // each of 2^cell_bits cells, or fewer where the sample is small.
  KeyParts(std::uint64_t low, std::uint64_t high, std::span<const std::uint64_t> sample, std::size_t parts,
           unsigned cell_bits, unsigned position_bits, MemoryBudget& budget);

  std::size_t size() const { return ((begins_.size() - 1) >> cell_bits_) + 1; }
  std::uint64_t low() const { return low_; }
  std::uint64_t span() const { return high_ - low_; }

  struct Held {
    std::size_t part;
    std::uint64_t record;
  };
  // Within a part, records are in the order of what they hold of the key, and then of their positions.
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
  unsigned inside_bits_;         // what a record has for the key's place in its cell
  Array<std::uint64_t> begins_;  // of the cells
  Array<std::uint8_t> shifts_;   // how much of the key's end there is no room for
  Array<std::uint32_t> tops_;    // tops_[t]: how many cells begin below t << 48
};

}  // namespace refrain::ngram
