// Text to measure with: files of this machine or, if there are too few, generated text.
//
// The same machine gives the same text every time. Always valid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// Licenses, changelogs, copyright notices and readme files, concatenated, up to `most_bytes`. The result may be
// shorter if the machine has less text, but has at least a megabyte.
std::string machine_text(std::size_t most_bytes);

// Cuts `text` into pieces of `size` bytes; a piece that would end inside a character is a little shorter.
std::vector<std::string_view> cut(std::string_view text, std::size_t size);

// Pseudo-random numbers: the n-th of stream `seed` (splitmix64).
inline unsigned long long random_number(unsigned long long seed, unsigned long long n) {
  unsigned long long x = seed * 0xD1342543DE82EF95ULL + (n + 1) * 0x9E3779B97F4A7C15ULL;
  x = (x ^ x >> 30U) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ x >> 27U) * 0x94D049BB133111EBULL;
  return x ^ x >> 31U;
}

}  // namespace bench
