// Scatters the bits of a number, so that every bit of the result depends on all of them.
#pragma once

#include <cstdint>

namespace refrain {

// `first` and `second` are odd; different ones give different functions. What is stored may rest on it (fingerprints,
// keys of n-grams), so it never changes.
constexpr std::uint64_t mix(std::uint64_t x, std::uint64_t first, std::uint64_t second) {
  x ^= x >> 32U;
  x *= first;
  x ^= x >> 29U;
  x *= second;
  return x ^ x >> 32U;
}

}  // namespace refrain
