// N-grams of a slice as the shuffle holds them: eight bytes, as much of the key as there is room for above the
// position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "store/number_layout.h"

namespace refrain::ngram {

// Of ascending numbers, those that agree with a neighbour above their low `bits`, still ascending, at the beginning.
// Returns how many they are.
std::size_t keep_neighbours(std::span<std::uint64_t> numbers, unsigned bits);

// As numbers they are in the order of their keys, then of their positions.
class PackedLayout : public store::NumberLayout {
 public:
  // `singles`: whether anybody wants n-grams that occur once.
  PackedLayout(unsigned position_bits, bool singles) : position_bits_(position_bits), singles_(singles) {}

  std::size_t pick_groups(std::uint64_t* begin, std::size_t size) const {
    return singles_ ? size : keep_neighbours({begin, size}, position_bits_);
  }

 private:
  unsigned position_bits_;
  bool singles_;
};

}  // namespace refrain::ngram
