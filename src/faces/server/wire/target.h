// The target of a request: "/v1/documents/a%2Fb?replace=1".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace refrain::server {

struct Target {
  std::string path;                               // as it was sent, percent signs and all
  std::map<std::string, std::string> parameters;  // decoded
};

// Failure(400) for what is not a path, for broken percent signs, for a parameter that is given twice.
Target parse_target(std::string_view target);

// Failure(400) where a percent sign is not followed by two hexadecimal digits, or stands for a NUL.
std::string percent_decode(std::string_view text, bool plus_is_space);

// A whole number in decimal digits between `least` and `most`. Failure(400), which names it.
std::uint64_t parse_number(std::string_view name, std::string_view digits, std::uint64_t least, std::uint64_t most);

}  // namespace refrain::server
