// A folder that is there for one run only.
//
// Removed with all that it holds when its owner goes out of scope, which covers every way out but kill -9 and a power
// cut. Those leave a folder whose lock nobody holds; the next TempDir made beside it removes it.
#pragma once

#include <filesystem>
#include <string>

namespace refrain {

class TempDir {
 public:
  // A new folder inside `parent`, which must exist, called as base/files/aside_name.h says. Error(io) where that cannot be made.
  TempDir(const std::filesystem::path& parent, const std::string& name);
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  const std::filesystem::path& path() const { return path_; }

  // Ends the temporary life: the folder becomes `target`, which must not exist, in one rename.
  void publish(const std::filesystem::path& target);

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace refrain
