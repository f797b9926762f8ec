#include "faces/server/wire/json_cut.h"

namespace refrain::server {

std::size_t json_cut(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text.size();
  // At the first byte of a character. Where there is none among four, these belong to no character.
  for (std::size_t at = bytes; at > 0 && bytes - at < 4; --at)
    if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U) return at;
  return bytes;
}

}  // namespace refrain::server
