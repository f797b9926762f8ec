// The slow and obvious way to find what is lost of a text, and whether that is too much by default.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "random_text.h"

namespace refrain::sketch {

// Which words are lost: a word is held if the other text contains `window` consecutive words that include it.
inline std::vector<bool> plainly_lost(const Words& words, const Words& other, std::size_t window) {
  std::set<Words> held;
  for (std::size_t i = 0; i + window <= other.size(); ++i) held.insert(part(other, i, window));
  std::vector<bool> lost(words.size(), true);
  for (std::size_t i = 0; i + window <= words.size(); ++i)
    if (held.contains(part(words, i, window)))
      for (std::size_t k = 0; k < window; ++k) lost[i + k] = false;
  return lost;
}

// The number of contexts by new word: one that is lost and that the other text does not have anywhere.
inline std::map<std::string, std::size_t> plain_contexts(const Words& words, const Words& other,
                                                         const std::vector<bool>& lost) {
  std::map<std::string, std::set<std::string>> contexts;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (lost[i] && std::ranges::find(other, words[i]) == other.end())
      contexts[words[i]].insert((i == 0 ? "" : words[i - 1]) + " " + (i + 1 == words.size() ? "" : words[i + 1]));
  std::map<std::string, std::size_t> counts;
  for (const auto& [word, of] : contexts) counts[word] = of.size();
  return counts;
}

inline bool plainly_heavy(const Words& words, const Words& other, std::size_t window) {
  const std::vector<bool> lost = plainly_lost(words, other, window);
  const std::vector<bool> gained = plainly_lost(other, words, window);
  const std::map<std::string, std::size_t> own = plain_contexts(words, other, lost);
  std::set<std::string> counted;
  double heaviest = 0;
  double weight = 0;
  std::size_t longest = 0;
  std::size_t run = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    run = lost[i] ? run + 1 : 0;
    longest = std::max(longest, run);
    weight = !lost[i] ? 0 : weight + (own.contains(words[i]) && counted.insert(words[i]).second ? 1 : 0.25);
    heaviest = std::max(heaviest, weight);
  }
  const auto length = static_cast<double>(words.size());
  const double most = std::max(6.0, std::min(length / 100, std::sqrt(0.375 * length)));
  const auto all_lost = std::ranges::count(lost, true);
  const auto all_gained = std::ranges::count(gained, true);
  bool has_subject = false;
  for (const auto& all : {own, plain_contexts(other, words, gained)})
    for (const auto& [word, contexts] : all)
      if (word.find_first_of("0123456789") == std::string::npos && contexts >= 4 &&
          static_cast<double>(contexts) > std::sqrt(length) / 16)
        has_subject = true;
  return heaviest > most || static_cast<double>(own.size()) > 2 * most + static_cast<double>(all_gained) ||
         (all_lost > 64 && all_lost > 16 * all_gained) || (longest > 16 && has_subject);
}

}  // namespace refrain::sketch
