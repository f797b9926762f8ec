// A checksum for whatever is written to be read again: 64 bits of XXH3.
#pragma once

#include <cstdint>
#include <string_view>

namespace refrain {

std::uint64_t checksum(std::string_view bytes);

}  // namespace refrain
