// Shell completion, generated from the tables of verbs and flags. It completes verbs, flags, and the values of flags
// that accept only certain words, or files or folders.
#pragma once

#include <string>
#include <string_view>

namespace refrain::cli {

// Returns the script for "bash", "zsh" or "fish". The parser accepts no other shell.
std::string completion_script(std::string_view shell);

}  // namespace refrain::cli
