#include "base/files/tempdir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/files/aside_name.h"
#include "base/files/file.h"
#include "base/files/path.h"
#include "base/files/uninterrupted.h"
#include "refrain/error.h"

namespace refrain {

namespace fs = std::filesystem;

namespace {

// Opens and locks `folder`. Returns -1 if that fails; errno is EWOULDBLOCK if another process holds the lock.
int lock_folder(const fs::path& folder) {
  const int fd = retry_on_eintr([&] { return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (fd >= 0 && retry_on_eintr([&] { return flock(fd, LOCK_EX | LOCK_NB); }) == 0) return fd;
  const int error = errno;
  if (fd >= 0) close(fd);
  errno = error;
  return -1;
}

// Removes folders for `name` that earlier runs left behind when they were killed.
void remove_abandoned(const fs::path& parent, const std::string& name) {
  std::error_code ignored;
  for (fs::directory_iterator at(parent, ignored), end; !ignored && at != end; at.increment(ignored)) {
    if (!is_aside_of(at->path().filename().string(), name)) continue;
    struct stat info {};
    if (lstat(at->path().c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid()) continue;
    const int lock = lock_folder(at->path());
    if (lock < 0) continue;
    std::error_code left;
    fs::remove_all(at->path(), left);
    close(lock);
  }
}

}  // namespace

TempDir::TempDir(const fs::path& parent, const std::string& name) {
  remove_abandoned(parent, name);
  for (unsigned attempt = 0; attempt < kMaxAsides; ++attempt) {
    path_ = parent / aside_name(name, attempt);
    if (mkdir(path_.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      throw Error(errno == ENOSPC ? Errc::over_budget : Errc::io,
                  fmt::format("{}: cannot create a folder: {}", path_.string(), system_reason(errno)));
    }
    lock_ = lock_folder(path_);
    const int refused = lock_ < 0 ? errno : 0;
    // Another program may have taken the folder for abandoned before it was locked. If the file system has no locks,
    // no program does.
    struct stat ours {};
    struct stat now {};
    const bool there = lstat(path_.c_str(), &now) == 0;
    if (there && (lock_ < 0 ? refused != EWOULDBLOCK : fstat(lock_, &ours) == 0 && ours.st_ino == now.st_ino)) return;
    if (lock_ >= 0) close(std::exchange(lock_, -1));
  }
  throw Error(Errc::io, fmt::format("{}: cannot create a temporary folder", parent.string()));
}

TempDir::~TempDir() {
  if (!path_.empty()) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  if (lock_ >= 0) close(lock_);
}

void TempDir::publish(const fs::path& target) {
  sync_folder(path_);
  rename_checked(path_, target);
  try {
    sync_folder(target.parent_path().empty() ? "." : target.parent_path());
  } catch (...) {
    // The caller gets an error, so it must not find the folder at `target`.
    std::error_code ignored;
    fs::rename(target, path_, ignored);
    if (ignored) path_.clear();
    throw;
  }
  path_.clear();
}

}  // namespace refrain
