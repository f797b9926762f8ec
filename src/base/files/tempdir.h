// A folder that exists during one run only.
//
// It is removed with its contents when its owner goes out of scope, which covers every way in which a process can end
// except kill -9 and a power failure. Those leave a folder whose lock nobody holds; the next TempDir with the same
// name in the same parent removes it.
#pragma once

#include <filesystem>
#include <string>

namespace refrain {

class TempDir {
 public:
  // Creates a folder inside `parent`, which must exist, with a name as in base/files/aside_name.h. Throws Error(io)
  // if that fails, or Error(over_budget) if the disk is full.
  TempDir(const std::filesystem::path& parent, const std::string& name);
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  const std::filesystem::path& path() const { return path_; }

  // Makes the folder permanent: renames it to `target`, which must not exist.
  void publish(const std::filesystem::path& target);

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace refrain
