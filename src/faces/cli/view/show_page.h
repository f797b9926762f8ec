// The man page on a terminal: formatted and a screen at a time, as `man` shows a page.
#pragma once

#include <string>

namespace refrain::cli {

// Formats `page`, which is roff, with what the system has for it, and hands it to the reader's pager. False, with nothing
// shown, where the system has none.
bool show_page(const std::string& page);

}  // namespace refrain::cli
