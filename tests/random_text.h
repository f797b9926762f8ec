// Generated text for tests: the same for the same seed, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace refrain {

// Returns `size` letters, drawn uniformly from the first `letters` lower-case letters.
inline std::string random_text(std::size_t size, unsigned letters, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % letters);
  return text;
}

using Words = std::vector<std::string>;

// Returns `count` words, drawn uniformly from `different` words.
inline Words random_words(std::mt19937_64& random, std::size_t count, std::uint64_t different = 100'000) {
  Words words(count);
  for (std::string& word : words) word = "w" + std::to_string(random() % different);
  return words;
}

inline std::string join(const Words& words, const std::string& between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

inline Words part(const Words& words, std::size_t first, std::size_t count) {
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

inline void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// Deletes, replaces, or inserts a word before, `percent` percent of the words at random.
inline Words with_noise(std::mt19937_64& random, const Words& words, unsigned percent) {
  Words noisy;
  for (const std::string& word : words) {
    if (random() % 100 >= percent) {
      noisy.push_back(word);
      continue;
    }
    const std::uint64_t kind = random() % 3;
    if (kind != 0) noisy.push_back("n" + std::to_string(random() % 1000000));
    if (kind == 2) noisy.push_back(word);
  }
  return noisy;
}

// Texts, copies of them, edited ones, ones with additional text, and short ones, in random order. So few are similar
// that every pair of similar texts meets, whatever other texts there are.
inline std::vector<Words> texts_alike(std::uint64_t seed, std::size_t count) {
  constexpr unsigned kMostAlike = 6;
  std::mt19937_64 random(seed);
  std::vector<Words> first;  // the first of each group of similar texts
  std::vector<unsigned> alike;
  std::vector<Words> texts;
  while (texts.size() < count) {
    const std::uint64_t kind = random() % 10;
    const std::size_t of = first.empty() ? 0 : random() % first.size();
    if (first.empty() || kind < 4 || alike[of] == kMostAlike) {
      texts.push_back(first.emplace_back(random_words(random, kind == 0 ? random() % 8 : 60 + random() % 200)));
      alike.push_back(1);
    } else {
      ++alike[of];
      texts.push_back(kind < 8 ? with_noise(random, first[of], static_cast<unsigned>(random() % 3)) : first[of]);
      if (kind == 8) append(texts.back(), random_words(random, 10 + random() % 20));
    }
  }
  return texts;
}

// Texts of fewer than `most_words` words, a third of them copies of earlier ones, half of those with an added word.
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
