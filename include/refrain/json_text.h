// Writes strings as JSON.
#pragma once

#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] refrain {

// Appends `text` as a JSON string, including the quotes, on one line. Bytes that are not UTF-8 become U+FFFD.
void append_json_text(std::string& out, std::string_view text);
std::string json_text(std::string_view text);

// Appends what goes between the quotes.
void append_json_escaped(std::string& out, std::string_view text);

// Appends the escape of one ASCII character: the short form if JSON has one, so \n rather than \u000a.
void append_json_escape(std::string& out, char c);

}  // namespace refrain
