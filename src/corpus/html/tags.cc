#include "corpus/html/tags.h"

#include <algorithm>

namespace refrain::html {

namespace {

constexpr std::size_t kMaxTag = 14;
constexpr auto kSorted = [](const Element& a, const Element& b) { return a.name < b.name; };
static_assert(std::is_sorted(rows::kElements.begin(), rows::kElements.end(), kSorted));
static_assert(std::all_of(rows::kElements.begin(), rows::kElements.end(),
                          [](const Element& element) { return element.name.size() <= kMaxTag; }));

// The first row of every letter, and one past the last row.
constexpr std::array<Tag, 27> kFirst = [] {
  std::array<Tag, 27> first{};
  for (std::size_t letter = 0; letter < first.size(); ++letter) {
    std::size_t row = 1;
    while (row < rows::kElements.size() && rows::kElements[row].name[0] < static_cast<char>('a' + letter)) ++row;
    first[letter] = static_cast<Tag>(row);
  }
  return first;
}();

}  // namespace

Tag find_tag(std::string_view name) {
  std::array<char, kMaxTag> buffer;
  if (name.size() > buffer.size()) return ""_tag;
  std::transform(name.begin(), name.end(), buffer.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  const std::string_view lower(buffer.data(), name.size());
  if (lower.empty() || lower[0] < 'a' || lower[0] > 'z') return ""_tag;
  const auto letter = static_cast<std::size_t>(lower[0] - 'a');
  for (Tag row = kFirst[letter]; row < kFirst[letter + 1]; ++row)
    if (rows::kElements[row].name == lower) return row;
  return ""_tag;
}

}  // namespace refrain::html
