// Scatters the bits of a number so that every bit of the result depends on all of them.
#pragma once

#include <cstdint>

namespace refrain {

// `first` and `second` must be odd; different values give different functions. Stored data may depend on this
// function (fingerprints, keys of n-grams), so it never changes.
constexpr std::uint64_t mix(std::uint64_t x, std::uint64_t first, std::uint64_t second) {
  x ^= x >> 32U;
  x *= first;
  x ^= x >> 29U;
  x *= second;
  return x ^ x >> 32U;
}

}  // namespace refrain
