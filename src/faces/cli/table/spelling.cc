#include "faces/cli/table/spelling.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace refrain::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongestWord = 40;  // longer words are not typos, and would take long to compare
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string_view prefix_match;
  std::size_t prefix_matches = 0;
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (word.size() > 1 && candidate.starts_with(word)) {
      prefix_match = candidate;
      ++prefix_matches;
    }
    const std::size_t distance = edit_distance(word, candidate);
    // At a distance of its length, none of the candidate's letters was typed, so it was not meant.
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return prefix_matches == 1 ? prefix_match : best;
}

}  // namespace refrain::cli
