// A checksum for whatever is written to be read again: 64 bits of XXH3. Texts are told apart by 128 (refrain/digest.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "refrain/digest.h"

namespace refrain {

std::uint64_t checksum(std::string_view bytes);

// Of a file, parts of which are written and summed by many threads: the sums of parts at their places, in any order and
// however cut, add up to that of the whole. It notices every single word that is wrong.
std::uint64_t checksum_at(std::uint64_t place, std::string_view bytes);

}  // namespace refrain
