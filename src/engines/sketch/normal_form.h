#pragma once

#include <string>
#include <string_view>

namespace refrain::sketch {

// Returns a text in NFKC, with ignorable characters such as soft hyphens removed and characters beyond ASCII
// case-folded; an ASCII letter may be folded, too, if such a character follows it. Bytes that are not UTF-8 are left
// unchanged.
std::string normal_form(std::string_view text);

}  // namespace refrain::sketch
