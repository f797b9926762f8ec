#pragma once

#include <string>
#include <string_view>

namespace refrain::sketch {

// A text in NFKC, case folded beyond ASCII, with soft hyphens and the like left out. What is not UTF-8 stays as it is.
std::string normal_form(std::string_view text);

}  // namespace refrain::sketch
