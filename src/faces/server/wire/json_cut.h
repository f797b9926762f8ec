// Long texts as JSON, a part at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace refrain::server {

// Where to cut a text after `bytes` bytes or a few less, so that both parts become what they become in the whole.
std::size_t json_cut(std::string_view text, std::size_t bytes);

}  // namespace refrain::server
