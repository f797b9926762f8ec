// Character classes of ASCII, independent of the locale.
#pragma once

#include <algorithm>
#include <string_view>

namespace refrain {

constexpr bool is_digit(char c) {
  return '0' <= c && c <= '9';
}

constexpr bool is_letter(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z');
}

constexpr char lower(char c) {
  return 'A' <= c && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

// Whether two words are equal except for the case of ASCII letters.
constexpr bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

// White space as HTML and HTTP define it.
constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

}  // namespace refrain
