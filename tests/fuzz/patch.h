// Interprets the input of a fuzzer as patches of existing bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace refrain {

// `changes` consists of offsets (2 bytes), each followed by a byte.
inline void patch(std::string& bytes, std::string_view changes) {
  if (bytes.empty()) return;
  for (std::size_t i = 0; i + 3 <= changes.size(); i += 3) {
    const auto place =
        static_cast<std::uint8_t>(changes[i]) + std::size_t{256} * static_cast<std::uint8_t>(changes[i + 1]);
    bytes[place % bytes.size()] = changes[i + 2];
  }
}

}  // namespace refrain
