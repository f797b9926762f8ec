#include "base/files/aside_name.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>

namespace refrain {

namespace {

constexpr std::string_view kMark = ".partial-refrain-";

// Whether `text` is a number up to `most` as it is printed: no sign, no leading zero.
bool is_number(std::string_view text, unsigned long most) {
  unsigned long value = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, value);
  return !text.empty() && error == std::errc() && behind == end && value <= most &&
         (text.front() != '0' || text.size() == 1);
}

// "PID-N"
bool is_numbers(std::string_view text) {
  const std::size_t dash = text.find('-');
  return dash != std::string_view::npos && is_number(text.substr(0, dash), 0x7FFFFFFF) &&
         is_number(text.substr(dash + 1), kMaxAsides - 1);
}

}  // namespace

std::string aside_name(std::string_view name, unsigned number) {
  return fmt::format("{}{}{}-{}", name, kMark, getpid(), number);
}

bool is_aside_of(std::string_view aside, std::string_view name) {
  return aside.starts_with(name) && aside.substr(name.size()).starts_with(kMark) &&
         is_numbers(aside.substr(name.size() + kMark.size()));
}

bool is_staging_name(std::string_view name) {
  const std::size_t at = name.rfind(kMark);
  return name.starts_with('.') && at != std::string_view::npos && is_aside_of(name, name.substr(0, at));
}

}  // namespace refrain
