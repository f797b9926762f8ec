#include "faces/server/wire/target.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "faces/server/wire/failure.h"

namespace refrain::server {

namespace {

int hex_digit(char c) {
  if ('0' <= c && c <= '9') return c - '0';
  if ('a' <= c && c <= 'f') return c - 'a' + 10;
  if ('A' <= c && c <= 'F') return c - 'A' + 10;
  return -1;
}

Failure bad_target(const std::string& message) {
  return {400, "bad_target", message};
}

}  // namespace

std::string percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '%') {
      const int high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
      const int low = at + 2 < text.size() ? hex_digit(text[at + 2]) : -1;
      if (high < 0 || low < 0) throw bad_target("a percent sign is not followed by two hexadecimal digits");
      c = static_cast<char>(high * 16 + low);
      at += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (c == '\0') throw bad_target("contains a NUL");
    out += c;
  }
  return out;
}

Target parse_target(std::string_view target) {
  // Requests to proxies have the form http://host/path. Only the Host header is checked, so this host is ignored.
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::size_t slash = target.find('/', scheme.size());
    target = slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
  }
  if (!target.starts_with('/')) throw bad_target("the target must begin with a slash");
  if (target.find('#') != std::string_view::npos) throw bad_target("the target must not have a fragment");
  Target out;
  const std::size_t mark = target.find('?');
  out.path = target.substr(0, mark);
  if (mark == std::string_view::npos) return out;
  std::string_view left = target.substr(mark + 1);
  while (!left.empty()) {
    const std::string_view pair = left.substr(0, left.find('&'));
    left.remove_prefix(pair.size() + (pair.size() < left.size() ? 1 : 0));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    std::string name = percent_decode(pair.substr(0, equals), true);
    std::string value = equals == std::string_view::npos ? "" : percent_decode(pair.substr(equals + 1), true);
    if (!out.parameters.emplace(name, std::move(value)).second)
      throw bad_target(fmt::format("the parameter '{}' is given twice", name));
  }
  return out;
}

std::uint64_t parse_number(std::string_view name, std::string_view digits, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || value < least || value > most)
    throw Failure(400, "invalid_argument", fmt::format("'{}' must be a whole number from {} to {}", name, least, most));
  return value;
}

}  // namespace refrain::server
