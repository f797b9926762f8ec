#include "base/files/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include "base/files/file.h"
#include "refrain/error.h"

namespace refrain {

namespace fs = std::filesystem;

namespace {

// Returns false if nothing exists at the path.
template <class Look>
bool stat_path(const fs::path& path, struct stat& info, Look look) {
  if (retry_on_eintr([&] { return look(path.c_str(), &info); }) == 0) return true;
  if (errno != ENOENT && errno != ENOTDIR) throw_read_error(path.string(), "stat", errno);
  return false;
}

fs::path resolved(const fs::path& path) {
  std::error_code error;
  // weakly_canonical() leaves a path relative if no part of it exists, so it is made absolute first.
  const fs::path absolute = fs::absolute(path, error);
  fs::path whole = fs::weakly_canonical(absolute, error);
  if (error) whole = absolute.lexically_normal();  // out of reach: an error is reported when the path is read
  return whole.has_filename() ? whole : whole.parent_path();
}

// Opens a folder to sync it. Returns -1 for a folder that cannot be read, which is then not synced.
int open_folder(const fs::path& folder) {
  const int fd = retry_on_eintr([&] { return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (fd < 0 && errno != EACCES) throw_write_error(folder.string(), errno);
  return fd;
}

}  // namespace

PathKind path_kind(const fs::path& path) {
  struct stat info {};
  if (!stat_path(path, info, ::stat)) return PathKind::none;
  if (S_ISREG(info.st_mode)) return PathKind::file;
  return S_ISDIR(info.st_mode) ? PathKind::folder : PathKind::other;
}

bool is_taken(const fs::path& path) {
  struct stat info {};
  return stat_path(path, info, ::lstat);
}

bool is_link(const fs::path& path) {
  struct stat info {};
  return stat_path(path, info, ::lstat) && S_ISLNK(info.st_mode);
}

std::uint64_t file_bytes(const fs::path& path) {
  struct stat info {};
  if (retry_on_eintr([&] { return ::stat(path.c_str(), &info); }) != 0) throw_read_error(path.string(), "stat", errno);
  return static_cast<std::uint64_t>(info.st_size);
}

std::vector<std::string> list_folder(const fs::path& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> at(opendir(folder.c_str()), closedir);
  if (at == nullptr) {
    if (errno == ENOENT) return {};
    throw_read_error(folder.string(), "list", errno);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(at.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) throw_read_error(folder.string(), "list", errno);
  std::sort(names.begin(), names.end());
  return names;
}

void for_each_file(const fs::path& folder, const std::function<void(const fs::path&)>& each) {
  std::vector<fs::path> folders{fs::path()};  // relative to `folder`; the next one is last
  while (!folders.empty()) {
    const fs::path below = std::move(folders.back());
    folders.pop_back();
    const std::size_t first = folders.size();
    for (const std::string& name : list_folder(below.empty() ? folder : folder / below)) {
      struct stat info {};
      if (!stat_path(folder / below / name, info, ::lstat)) continue;
      if (S_ISREG(info.st_mode)) each(below / name);
      if (S_ISDIR(info.st_mode)) folders.push_back(below / name);
    }
    std::reverse(folders.begin() + static_cast<std::ptrdiff_t>(first), folders.end());
  }
}

fs::path current_folder() {
  std::error_code error;
  fs::path folder = fs::current_path(error);
  if (error)
    throw Error(Errc::io, fmt::format("current folder: cannot getcwd: {}; change to another folder", error.message()));
  return folder;
}

fs::path absolute_path(const fs::path& path) {
  return path.is_absolute() ? path : current_folder() / path;
}

bool is_within(const fs::path& path, const fs::path& folder) {
  const fs::path inner = resolved(path);
  const fs::path outer = resolved(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

void sync_folder(const fs::path& folder) {
  const int fd = open_folder(folder);
  if (fd < 0) return;
  // Some file systems cannot sync a folder, and do not need to.
  const int error = retry_on_eintr([&] { return fsync(fd); }) != 0 && errno != EINVAL ? errno : 0;
  close(fd);
  if (error != 0) throw_write_error(folder.string(), error);
}

void sync_filesystem(const fs::path& folder) {
  const int fd = open_folder(folder);
  const int error = fd < 0 || retry_on_eintr([&] { return syncfs(fd); }) != 0 ? errno : 0;
  if (fd >= 0) close(fd);
  if (error != 0) throw_write_error(folder.string(), error);
}

void remove_checked(const fs::path& path) {
  if (remove(path.c_str()) == 0 || errno == ENOENT) return;
  throw Error(Errc::io, fmt::format("{}: cannot remove: {}", path.string(), system_reason(errno)));
}

void make_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0777) != 0) throw_write_error(folder.string(), errno);
}

void make_folders(const fs::path& folder) {
  if (folder.empty()) return;
  if (path_kind(folder) == PathKind::folder) return;
  if (!folder.has_filename()) return make_folders(folder.parent_path());  // "dir/" is "dir"
  if (is_taken(folder))
    throw Error(Errc::invalid_argument, fmt::format("{}: is not a folder; name another", folder.string()));
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  make_folders(parent);
  // Another program may have created it in the meantime.
  if (mkdir(folder.c_str(), 0777) != 0 && (errno != EEXIST || path_kind(folder) != PathKind::folder))
    throw_write_error(folder.string(), errno);
  sync_folder(parent);
}

void rename_checked(const fs::path& from, const fs::path& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return;
  const int error = errno;
  if (error == ENOSPC || error == EDQUOT) throw_write_error(to.string(), error);
  if (error == ENOTEMPTY || error == EEXIST)
    throw Error(Errc::busy, fmt::format("{}: another process has just created it; try again", to.string()));
  throw Error(Errc::io, fmt::format("{}: cannot rename to {}: {}", from.string(), to.string(), system_reason(error)));
}

}  // namespace refrain
