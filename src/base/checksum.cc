#include "base/checksum.h"

#include <xxhash.h>

namespace refrain {

std::uint64_t checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace refrain
