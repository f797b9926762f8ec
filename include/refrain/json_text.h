// Strings as JSON has them.
#pragma once

#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] refrain {

// Appends `text` as a JSON string, quotes included, in one line. Bytes that are not UTF-8 become U+FFFD.
void append_json_text(std::string& out, std::string_view text);
std::string json_text(std::string_view text);

// What stands between the quotes.
void append_json_escaped(std::string& out, std::string_view text);

// The escape of one ASCII character, the short one where JSON has it: \n rather than \u000a.
void append_json_escape(std::string& out, char c);

}  // namespace refrain
