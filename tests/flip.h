// Damage: flips one bit of a file in place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace refrain {

inline void flip(const std::filesystem::path& path, std::uint64_t byte, unsigned bit) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(byte));
  const int old = file.get();
  file.seekp(static_cast<std::streamoff>(byte));
  file.put(static_cast<char>(static_cast<unsigned>(old) ^ 1U << bit));
}

}  // namespace refrain
