// The characters that troff knows by name (groff_char(7)).
#pragma once

#include <string>
#include <string_view>

namespace refrain::corpus {

// The UTF-8 of "em", "bu", "'e", "u2014", "u0065_0301" or "char65"; empty if the name is unknown.
std::string glyph(std::string_view name);

}  // namespace refrain::corpus
