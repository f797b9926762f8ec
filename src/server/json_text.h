// Strings as JSON has them.
#pragma once

#include <string>
#include <string_view>

namespace refrain::server {

// Appends `text` as a JSON string, quotes included, in one line. Bytes that are not UTF-8 become U+FFFD.
void append_json_text(std::string& out, std::string_view text);
std::string json_text(std::string_view text);

}  // namespace refrain::server
