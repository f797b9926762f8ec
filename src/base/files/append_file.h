// A file that only grows, and can report when everything appended to it is on the disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refrain {

// Errors are thrown as by throw_write_error(). Not thread-safe.
class AppendFile {
 public:
  // Creates the file. Throws Error(busy) if the name is taken.
  explicit AppendFile(std::string path);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  void append(std::string_view bytes);
  // Returns once everything appended is on the disk. If sync() fails, the state of everything appended since the last
  // successful sync() is unknown.
  void sync();
  // Truncates the file to `bytes`. Returns false if that fails.
  bool cut(std::uint64_t bytes) noexcept;

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
};

}  // namespace refrain
