#include "base/files/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include "base/files/file.h"
#include "base/files/uninterrupted.h"
#include "refrain/error.h"

namespace refrain {

namespace fs = std::filesystem;

namespace {

// False where nothing is there.
template <class Look>
bool look_at(const fs::path& path, struct stat& info, Look look) {
  if (uninterrupted([&] { return look(path.c_str(), &info); }) == 0) return true;
  if (errno != ENOENT && errno != ENOTDIR) refuse_read(path.string(), "stat", errno);
  return false;
}

fs::path resolved(const fs::path& path) {
  std::error_code error;
  // A path of which nothing exists stays relative, unless it is made absolute first.
  const fs::path absolute = fs::absolute(path, error);
  fs::path whole = fs::weakly_canonical(absolute, error);
  if (error) whole = absolute.lexically_normal();  // out of reach: whoever reads it is told so
  return whole.has_filename() ? whole : whole.parent_path();
}

// A folder to sync. One that may be written to but not read cannot be opened, and is passed over: -1.
int open_folder(const fs::path& folder) {
  const int fd = uninterrupted([&] { return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (fd < 0 && errno != EACCES) refuse_write(folder.string(), errno);
  return fd;
}

}  // namespace

PathKind path_kind(const fs::path& path) {
  struct stat info {};
  if (!look_at(path, info, ::stat)) return PathKind::none;
  if (S_ISREG(info.st_mode)) return PathKind::file;
  return S_ISDIR(info.st_mode) ? PathKind::folder : PathKind::other;
}

bool is_taken(const fs::path& path) {
  struct stat info {};
  return look_at(path, info, ::lstat);
}

std::vector<std::string> list_folder(const fs::path& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> at(opendir(folder.c_str()), closedir);
  if (at == nullptr) {
    if (errno == ENOENT) return {};
    refuse_read(folder.string(), "list", errno);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(at.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) refuse_read(folder.string(), "list", errno);
  std::sort(names.begin(), names.end());
  return names;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path inner = resolved(path);
  const fs::path outer = resolved(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

void sync_folder(const fs::path& folder) {
  const int fd = open_folder(folder);
  if (fd < 0) return;
  // Some file systems cannot sync a folder, and need not.
  const int error = uninterrupted([&] { return fsync(fd); }) != 0 && errno != EINVAL ? errno : 0;
  close(fd);
  if (error != 0) refuse_write(folder.string(), error);
}

void sync_filesystem(const fs::path& folder) {
  const int fd = open_folder(folder);
  const int error = fd < 0 || uninterrupted([&] { return syncfs(fd); }) != 0 ? errno : 0;
  if (fd >= 0) close(fd);
  if (error != 0) refuse_write(folder.string(), error);
}

void make_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0777) != 0) refuse_write(folder.string(), errno);
}

void make_folders(const fs::path& folder) {
  if (folder.empty()) return;
  if (path_kind(folder) == PathKind::folder) return;
  if (!folder.has_filename()) return make_folders(folder.parent_path());  // "dir/" is "dir"
  if (is_taken(folder))
    throw Error(Errc::invalid_argument, fmt::format("{}: is not a folder; name another", folder.string()));
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  make_folders(parent);
  // Another program may have made it meanwhile.
  if (mkdir(folder.c_str(), 0777) != 0 && (errno != EEXIST || path_kind(folder) != PathKind::folder))
    refuse_write(folder.string(), errno);
  sync_folder(parent);
}

void rename_checked(const fs::path& from, const fs::path& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return;
  const int error = errno;
  if (error == ENOSPC || error == EDQUOT) refuse_write(to.string(), error);
  throw Error(Errc::io, fmt::format("{}: cannot rename to {}: {}", from.string(), to.string(), system_reason(error)));
}

}  // namespace refrain
