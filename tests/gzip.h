// Compressed files for tests.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace refrain {

// Compresses `text`; returns only the first `size` bytes, if given.
inline std::string gzip(std::string_view text, std::size_t size = std::string::npos) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed.substr(0, size);
}

}  // namespace refrain
