// Character references: "&amp;", "&#233;", "&#xE9;", and the old names that need no semicolon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace refrain::html {

inline constexpr std::uint32_t kReplacement = 0xFFFD;  // for an invalid code point

struct Reference {
  std::size_t size = 0;  // in bytes; 0: not a reference
  std::uint32_t first = 0;
  std::uint32_t second = 0;  // a few references are two code points; otherwise 0
};

// The reference that begins at text[at], a '&'. A name is examined for at most 33 bytes.
Reference read_reference(std::string_view text, std::size_t at);

}  // namespace refrain::html
