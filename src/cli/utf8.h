// UTF-8, one character at a time, as far as showing text safely needs it.
#pragma once

#include <cstddef>
#include <string_view>

namespace refrain::cli {

struct Utf8Character {
  char32_t code = 0;
  std::size_t size = 1;  // bytes
  bool valid = false;    // where not, it is one byte that belongs to no character
};

// The character that begins `text`, which must not be empty. Surrogates, overlong forms and codes beyond U+10FFFF are
// invalid.
Utf8Character first_character(std::string_view text);

}  // namespace refrain::cli
