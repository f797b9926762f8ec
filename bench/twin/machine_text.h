// Text to measure with: what this machine has lying around, or, where it has too little, text that is made up.
//
// The same machine gives the same text every time. Always valid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// Licences, changelogs, copyright notices and read-me files, one after the other, up to `most_bytes`. Whoever needs
// exactly `most_bytes` has to look: a machine may have less, but there is always a megabyte.
std::string machine_text(std::size_t most_bytes);

// `text` in pieces of `size` bytes; one that would end inside a character is a little shorter.
std::vector<std::string_view> cut(std::string_view text, std::size_t size);

// Numbers that look random: the n-th of stream `seed` (splitmix64).
inline unsigned long long random_number(unsigned long long seed, unsigned long long n) {
  unsigned long long x = seed * 0xD1342543DE82EF95ULL + (n + 1) * 0x9E3779B97F4A7C15ULL;
  x = (x ^ x >> 30U) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ x >> 27U) * 0x94D049BB133111EBULL;
  return x ^ x >> 31U;
}

}  // namespace bench
