// The man page, made from the tables of verbs and flags.
#pragma once

#include <string>

namespace refrain::cli {

// roff, with the man macros: what `man -l` and groff -man read.
std::string man_page();

}  // namespace refrain::cli
