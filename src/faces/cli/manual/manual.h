// Generates help, the manual page and completion for shells from the tables of verbs and flags.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "faces/cli/table/flags.h"
#include "faces/cli/table/verbs.h"

namespace refrain::cli {

// The help screens, generated from the tables of verbs and flags. Each fits 80 columns and 50 lines.

std::string program_help();
std::string verb_help(Verb verb);

// Returns a usage line, such as "refrain near INPUT... -o DIR [FLAG...]".
std::string synopsis(const VerbInfo& verb);

// Returns the text about a flag: its description, the allowed values, and the default.
std::string flag_text(const Flag& flag);

// Breaks `text` at spaces into lines of at most `width` columns. The first line continues at `first_column`; the
// others are indented by `indent` columns, which count as part of the width. The last line ends with a newline.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent, std::size_t first_column);

// The man page, generated from the tables of verbs and flags.
//
// Returns the page in roff with the man macros, which `man -l` and `groff -man` can show.
std::string man_page();

// Shell completion, generated from the tables of verbs and flags. It completes verbs, flags, and the values of flags
// that accept only certain words, or files or folders.
//
// Returns the script for "bash", "zsh" or "fish". The parser accepts no other shell.
std::string completion_script(std::string_view shell);

}  // namespace refrain::cli
