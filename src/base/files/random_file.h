// A file that many threads can read at any offset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace refrain {

// If the file cannot be opened or read, throws Error(not_found) or Error(io), as InputFile does. Only for regular
// files: for a pipe or a device, throws Error(unsupported) without waiting for it.
class RandomFile {
 public:
  explicit RandomFile(const std::filesystem::path& path);
  RandomFile(const RandomFile&) = delete;
  RandomFile& operator=(const RandomFile&) = delete;
  ~RandomFile();

  // Fills `to`. Throws Error(corrupt) if the file ends before that.
  void read(std::uint64_t offset, std::span<char> to) const;
  // Fills `to`, with fewer bytes only at the end of the file. Returns the number of bytes.
  std::size_t read_up_to(std::uint64_t offset, std::span<char> to) const;

  std::uint64_t size() const { return size_; }  // when the file was opened
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

// Reads the whole of a small file.
std::string read_file(const std::filesystem::path& path);
// Reads `size` bytes of a file from `begin`, or fewer if the file ends before that.
std::string read_file_part(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t size);

}  // namespace refrain
