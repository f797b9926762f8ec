// Looks for the tests of this folder.
#pragma once

#include "faces/cli/view/terminal.h"

namespace refrain::cli {

inline constexpr Look kPlain{};
inline constexpr Look kColour{.terminal = true, .colour = true, .utf8 = true};

}  // namespace refrain::cli
