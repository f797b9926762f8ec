// A file that only grows, and says when what was appended is on the disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refrain {

// Throws as refuse_write does. Not thread-safe.
class AppendFile {
 public:
  // One that was not there before. Error(busy) where the name is taken.
  explicit AppendFile(std::string path);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  void append(std::string_view bytes);
  // Returns once all of it is on the disk. After one that failed nothing is certain about what was appended since the last
  // that did not.
  void sync();
  // Takes off what is beyond `bytes`. False where that fails.
  bool cut(std::uint64_t bytes) noexcept;

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
};

}  // namespace refrain
