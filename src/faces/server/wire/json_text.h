// Strings as JSON has them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace refrain::server {

// Appends `text` as a JSON string, quotes included, in one line. Bytes that are not UTF-8 become U+FFFD.
void append_json_text(std::string& out, std::string_view text);
std::string json_text(std::string_view text);
// What stands between the quotes.
void append_json_escaped(std::string& out, std::string_view text);
// Where to cut a text after `bytes` bytes or a few less, so that both parts become what they become in the whole.
std::size_t json_cut(std::string_view text, std::size_t bytes);

}  // namespace refrain::server
