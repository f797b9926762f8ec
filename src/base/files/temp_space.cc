#include "base/files/temp_space.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/budget.h"
#include "base/files/file.h"
#include "base/files/path.h"
#include "base/files/uninterrupted.h"
#include "refrain/error.h"

namespace refrain {

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

}  // namespace refrain
