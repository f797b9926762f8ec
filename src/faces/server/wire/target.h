// The target of a request: "/v1/documents/a%2Fb?replace=1".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace refrain::server {

struct Target {
  std::string path;                               // as it was sent, not decoded
  std::map<std::string, std::string> parameters;  // decoded
};

// Throws Failure(400) if the target is not a path, is encoded incorrectly, or gives a parameter twice.
Target parse_target(std::string_view target);

// Throws Failure(400) if a percent sign is not followed by two hexadecimal digits, or if the result contains a NUL.
std::string percent_decode(std::string_view text, bool plus_is_space);

// Parses a whole number from `least` to `most` in decimal digits. For anything else, throws Failure(400), which names
// the parameter `name`.
std::uint64_t parse_number(std::string_view name, std::string_view digits, std::uint64_t least, std::uint64_t most);

}  // namespace refrain::server
