// (the bytes of an index are described here)
#pragma once

#include <cstdint>

namespace refrain {

// Places are known to this many tokens: a block never crosses documents.
inline constexpr std::uint64_t kBlockTokens = 16;

}  // namespace refrain
