// The man page, generated from the tables of verbs and flags.
#pragma once

#include <string>

namespace refrain::cli {

// Returns the page in roff with the man macros, which `man -l` and `groff -man` can show.
std::string man_page();

}  // namespace refrain::cli
