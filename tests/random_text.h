// Made-up text for tests: the same for the same seed, on every machine.
#pragma once

#include <cstddef>
#include <random>
#include <string>

namespace refrain {

// `size` of the first `letters` small letters, each as likely as the others.
inline std::string random_text(std::size_t size, unsigned letters, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % letters);
  return text;
}

}  // namespace refrain
