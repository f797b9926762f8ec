#include "faces/server/wire/json_cut.h"

namespace refrain::server {

std::size_t json_cut(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text.size();
  // Cuts before the first byte of a character. If none of four bytes is one, they are not valid UTF-8.
  for (std::size_t at = bytes; at > 0 && bytes - at < 4; --at)
    if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U) return at;
  return bytes;
}

}  // namespace refrain::server
