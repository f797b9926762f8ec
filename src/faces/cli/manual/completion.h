// Shell completion, made from the tables of verbs and flags: verbs, flags, and the values where they are a closed list.
#pragma once

#include <string>
#include <string_view>

namespace refrain::cli {

// The script for "bash", "zsh" or "fish", which are what the parser lets through.
std::string completion_script(std::string_view shell);

}  // namespace refrain::cli
