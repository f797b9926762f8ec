// Cuts a long text into parts, so that it can be written as JSON a part at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace refrain::server {

// Returns where to cut a text: after `bytes` bytes or up to three less, so that no character is split. The JSON of both
// parts put together is then the JSON of the whole text.
std::size_t json_cut(std::string_view text, std::size_t bytes);

}  // namespace refrain::server
