// Character references: "&amp;", "&#233;", "&#xE9;", and the old ones that need no semicolon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace refrain::html {

inline constexpr std::uint32_t kReplacement = 0xFFFD;  // for what is no character

struct Reference {
  std::size_t size = 0;  // in bytes; 0: there is none
  std::uint32_t first = 0;
  std::uint32_t second = 0;  // a few stand for two code points; else 0
};

// What text[at], a '&', begins. Looks at no more than that, or 33 bytes.
Reference read_reference(std::string_view text, std::size_t at);

}  // namespace refrain::html
