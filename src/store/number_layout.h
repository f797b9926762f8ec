// Records that are single numbers, whose high bits are the key. The shuffle sorts them as numbers, with SIMD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "store/shuffle_layout.h"

namespace refrain::store {

// Sorts in ascending order, in place.
void sort_numbers(std::span<std::uint64_t> numbers);

struct NumberLayout : FixedLayout<std::uint64_t> {
  static void sort_all(std::uint64_t* begin, std::size_t size) { sort_numbers({begin, size}); }
};

struct HighBits {
  unsigned shift;
  std::uint64_t operator()(std::uint64_t number) const { return number >> shift; }
};

}  // namespace refrain::store
