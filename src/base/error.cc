#include "refrain/error.h"

#include <algorithm>
#include <cstddef>

namespace refrain {

namespace {

// The option that is named at `at`, in backquotes; empty if none is. Text of a user's may contain backquotes, too, but
// rarely stands like this.
std::string_view option_at(std::string_view text, std::size_t at) {
  if (text.substr(at, 1) != "`") return {};
  if (at != 0 && std::string_view(" ([").find(text[at - 1]) == std::string_view::npos) return {};
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + 1);
  if (end == std::string_view::npos || end == at + 1 || text[end] != '`') return {};
  if (end + 1 != text.size() && std::string_view(" :;,.)]").find(text[end + 1]) == std::string_view::npos) return {};
  return text.substr(at + 1, end - at - 1);
}

constexpr std::size_t kQuotes = 2;

}  // namespace

std::string Error::option() const {
  return std::string(option_at(what(), 0));
}

std::string Error::sentence() const {
  std::string_view text = what();
  if (const std::size_t size = option_at(text, 0).size(); size != 0)
    text.remove_prefix(std::min(text.find_first_not_of(": ", size + kQuotes), text.size()));
  return std::string(text);
}

std::string spelled(std::string_view text, const SpellOption& spell) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view option = option_at(text, at);
    if (option.empty()) {
      out += text[at++];
    } else {
      out += spell(option);
      at += option.size() + kQuotes;
    }
  }
  return out;
}

}  // namespace refrain
