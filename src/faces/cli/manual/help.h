// The help screens, made from the tables of verbs and flags. Each fits 80 columns and 50 lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "faces/cli/table/flags.h"
#include "faces/cli/table/verbs.h"

namespace refrain::cli {

std::string program_help();
std::string verb_help(Verb verb);

// "refrain near INPUT... -o DIR [FLAG...]"
std::string synopsis(const VerbInfo& verb);

// What is to be said about a flag: description, what is allowed, the default.
std::string flag_text(const Flag& flag);

// `text` in lines of at most `width` columns, broken at spaces; all but the first are indented by `indent` columns,
// which count. The last line ends with a newline.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent, std::size_t first_column);

}  // namespace refrain::cli
