#include "refrain/error.h"

#include <algorithm>
#include <cstddef>

namespace refrain {

namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

// The size of the flag that begins at `at`, such as "--max-doc-bytes" or "-n"; 0 if there is none.
std::size_t flag_size(std::string_view text, std::size_t at) {
  if (at != 0 && std::string_view(" (['").find(text[at - 1]) == std::string_view::npos) return 0;
  const std::string_view rest = text.substr(at);
  const auto ends = [&](std::size_t size) {
    return size == rest.size() || std::string_view(" :;,.)]'=").find(rest[size]) != std::string_view::npos;
  };
  if (!rest.starts_with("--")) return rest.size() > 1 && rest[0] == '-' && is_lower(rest[1]) && ends(2) ? 2 : 0;
  std::size_t size = 2;
  while (size < rest.size() && (is_lower(rest[size]) || (rest[size] == '-' && size > 2))) ++size;
  return size > 2 && ends(size) ? size : 0;
}

std::string field_of(std::string_view flag) {
  if (flag == "-o") return "output";
  std::string name(flag.substr(flag.starts_with("--") ? 2 : 1));
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace

std::string Error::option() const {
  const std::string_view text = what();
  const std::size_t size = flag_size(text, 0);
  return size == 0 ? std::string() : field_of(text.substr(0, size));
}

std::string Error::sentence() const {
  std::string_view text = what();
  const std::size_t size = flag_size(text, 0);
  text.remove_prefix(size);
  if (size != 0) text.remove_prefix(std::min(text.find_first_not_of(": "), text.size()));
  return std::string(text);
}

std::string Error::spelled(const std::function<std::string(std::string_view option)>& spell) const {
  const std::string_view text = what();
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = flag_size(text, at);
    if (size == 0) {
      out += text[at++];
    } else {
      out += spell(field_of(text.substr(at, size)));
      at += size;
    }
  }
  return out;
}

}  // namespace refrain
