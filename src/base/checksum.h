// A checksum for everything that is written to be read again: 64 bits of XXH3. To tell texts apart, 128 bits are used
// (refrain/digest.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "refrain/digest.h"

namespace refrain {

std::uint64_t checksum(std::string_view bytes);

// A checksum for a file whose parts are written and summed by many threads: the checksums of the parts, each computed
// with its offset `place`, add up to that of the whole file, in any order and however the file is divided. It detects
// every single wrong word.
std::uint64_t checksum_at(std::uint64_t place, std::string_view bytes);

}  // namespace refrain
