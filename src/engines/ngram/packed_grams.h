// N-grams of a slice in the form in which the shuffle holds them: eight bytes, with as much of the key as fits
// above the position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "store/number_layout.h"

namespace refrain::ngram {

// Keeps only the numbers that agree with a neighbor in all bits but the low `bits`, and moves them to the front.
// `numbers` is ascending, and the result is, too. Returns how many were kept.
std::size_t keep_neighbours(std::span<std::uint64_t> numbers, unsigned bits);

// Compared as numbers, the records are ordered by key, then by position.
class PackedLayout : public store::NumberLayout {
 public:
  // `singles`: whether n-grams that occur only once are wanted.
  PackedLayout(unsigned position_bits, bool singles) : position_bits_(position_bits), singles_(singles) {}

  std::size_t pick_groups(std::uint64_t* begin, std::size_t size) const {
    return singles_ ? size : keep_neighbours({begin, size}, position_bits_);
  }

 private:
  unsigned position_bits_;
  bool singles_;
};

}  // namespace refrain::ngram
