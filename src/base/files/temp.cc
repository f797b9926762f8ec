#include "base/files/temp.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/budget.h"
#include "base/files/file.h"
#include "base/files/path.h"
#include "refrain/error.h"

namespace refrain {

namespace {

constexpr std::string_view kMark = ".partial-refrain-";

// Whether `text` is a number up to `most` as it is printed: no sign, no leading zero.
bool is_number(std::string_view text, unsigned long most) {
  unsigned long value = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, value);
  return !text.empty() && error == std::errc() && behind == end && value <= most &&
         (text.front() != '0' || text.size() == 1);
}

// "PID-N"
bool is_numbers(std::string_view text) {
  const std::size_t dash = text.find('-');
  return dash != std::string_view::npos && is_number(text.substr(0, dash), 0x7FFFFFFF) &&
         is_number(text.substr(dash + 1), kMaxAsides - 1);
}

}  // namespace

std::string aside_name(std::string_view name, unsigned number) {
  return fmt::format("{}{}{}-{}", name, kMark, getpid(), number);
}

bool is_aside_of(std::string_view aside, std::string_view name) {
  return aside.starts_with(name) && aside.substr(name.size()).starts_with(kMark) &&
         is_numbers(aside.substr(name.size() + kMark.size()));
}

bool is_staging_name(std::string_view name) {
  const std::size_t at = name.rfind(kMark);
  return name.starts_with('.') && at != std::string_view::npos && is_aside_of(name, name.substr(0, at));
}

namespace fs = std::filesystem;

namespace {

// Creates a file without a name. Not every file system supports that; then a named file is created and unlinked at
// once.
int open_nameless(const fs::path& folder) {
  const int fd = retry_on_eintr([&] { return open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); });
  if (fd >= 0) return fd;
  std::string name = (folder / "refrain-XXXXXX").string();
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named < 0)
    throw Error(Errc::io, fmt::format("{}: cannot create a temporary file: {}; choose another folder with `temp_dir`",
                                      folder.string(), system_reason(errno)));
  unlink(name.c_str());
  return named;
}

fs::path temp_folder(const Context& context) {
  if (!context.temp_dir.empty()) return context.temp_dir;
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

}  // namespace

TempSpace::TempSpace(const Context& context) : folder_(temp_folder(context)) {
  if (path_kind(folder_) != PathKind::folder)
    throw Error(Errc::invalid_argument,
                fmt::format("{}: no such folder for temporary files; choose one with `temp_dir`", folder_.string()));
}

void TempSpace::expect(std::uint64_t bytes, std::string_view what) const {
  struct statvfs info {};
  if (bytes == 0 || statvfs(folder_.c_str(), &info) != 0) return;
  const std::uint64_t free = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  if (free >= bytes) return;
  throw Error(Errc::over_budget, fmt::format("{}: {} need about {} of temporary disk, but {} are free; choose another "
                                             "folder with `temp_dir`, or raise `memory`",
                                             folder_.string(), what, human_bytes(bytes), human_bytes(free)));
}

void TempSpace::grow(std::uint64_t bytes) {
  const std::uint64_t now = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::uint64_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < now && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

TempFile::TempFile(TempSpace& space) : space_(&space), fd_(open_nameless(space.folder())) {}

TempFile::TempFile(TempFile&& other) noexcept
    : space_(other.space_),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_.exchange(0)),
      held_(other.held_.exchange(0)) {}

TempFile& TempFile::operator=(TempFile&& other) noexcept {
  std::swap(space_, other.space_);
  std::swap(fd_, other.fd_);
  size_ = other.size_.exchange(size_);
  held_ = other.held_.exchange(held_);
  return *this;
}

TempFile::~TempFile() {
  if (fd_ >= 0) close(fd_);
  space_->shrink(held_);
}

std::uint64_t TempFile::append(std::string_view bytes) {
  const std::uint64_t begin = size_.fetch_add(bytes.size());
  held_.fetch_add(bytes.size());
  space_->grow(bytes.size());
  std::uint64_t at = begin;
  while (!bytes.empty()) {
    const ssize_t wrote = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && (errno == ENOSPC || errno == EDQUOT))
      throw Error(
          Errc::over_budget,
          fmt::format(
              "{}: disk full after {} of temporary files; choose another folder with `temp_dir`, or raise `memory`",
              space_->folder().string(), human_bytes(space_->bytes())));
    if (wrote < 0)
      throw Error(Errc::io, fmt::format("{}: cannot write a temporary file: {}", space_->folder().string(),
                                        system_reason(errno)));
    at += static_cast<std::uint64_t>(wrote);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return begin;
}

void TempFile::read(std::uint64_t offset, std::span<char> buffer) const {
  while (!buffer.empty()) {
    const ssize_t got = pread(fd_, buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw Error(Errc::io, fmt::format("{}: cannot read a temporary file: {}", space_->folder().string(),
                                        got == 0 ? "it is too short" : system_reason(errno)));
    offset += static_cast<std::uint64_t>(got);
    buffer = buffer.subspan(static_cast<std::size_t>(got));
  }
}

void TempFile::discard(std::uint64_t offset, std::uint64_t size) {
#ifdef FALLOC_FL_PUNCH_HOLE
  if (fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                static_cast<off_t>(size)) != 0)
    return;
  held_.fetch_sub(size);
  space_->shrink(size);
#else
  static_cast<void>(offset);
  static_cast<void>(size);
#endif
}

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
