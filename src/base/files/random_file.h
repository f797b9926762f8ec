// A file that is read at any place, by many threads at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace refrain {

// What cannot be opened or read is Error(not_found) or Error(io), as with InputFile. Regular files only: a pipe or a device
// under that name is Error(unsupported), and is not waited for.
class RandomFile {
 public:
  explicit RandomFile(const std::filesystem::path& path);
  RandomFile(const RandomFile&) = delete;
  RandomFile& operator=(const RandomFile&) = delete;
  ~RandomFile();

  // Fills `to`. Error(corrupt) where the file ends before.
  void read(std::uint64_t offset, std::span<char> to) const;
  // Fills `to`, with fewer bytes only at the end of the file. Returns how many.
  std::size_t read_up_to(std::uint64_t offset, std::span<char> to) const;

  std::uint64_t size() const { return size_; }  // when it was opened
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

// The whole of a small file.
std::string read_file(const std::filesystem::path& path);
// Some of a file, less where it ends before.
std::string read_file_part(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t size);

}  // namespace refrain
