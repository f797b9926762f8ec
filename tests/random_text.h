// Made-up text for tests: the same for the same seed, on every machine.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace refrain {

// `size` of the first `letters` small letters, each as likely as the others.
inline std::string random_text(std::size_t size, unsigned letters, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % letters);
  return text;
}

// Texts of fewer than `most_words` words, a third of them copies of earlier ones, half of those with a word more.
inline std::vector<std::string> texts_with_copies(std::size_t count, unsigned most_words, unsigned seed) {
  std::mt19937 random(seed);
  const auto word = [&] { return " w" + std::to_string(random() % 500); };
  std::vector<std::string> texts;
  while (texts.size() < count) {
    std::string text;
    if (texts.size() > 10 && random() % 3 == 0) {
      text = texts[random() % texts.size()];
      if (random() % 2 == 0) text += word();
    } else {
      for (auto words = random() % most_words; words != 0; --words) text += word();
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace refrain
