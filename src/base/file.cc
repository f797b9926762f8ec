#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "refrain/error.h"

namespace refrain {

namespace {

constexpr std::uint64_t kReadAheadBytes = std::uint64_t{128} << 10;  // what the system does unasked
constexpr int kPollMilliseconds = 100;

[[noreturn]] void refuse_write(const std::string& path, int error) {
  if (error == ENOSPC || error == EDQUOT)
    throw Error(Errc::over_budget, fmt::format("{}: the disk is full; free some space, or write elsewhere", path));
  throw Error(Errc::io, fmt::format("{}: cannot write: {}", path, system_reason(error)));
}

// What programs that were killed left beside `path`.
void remove_abandoned(const std::string& path) {
  const std::filesystem::path target(path);
  const std::string prefix = target.filename().string() + ".partial-";
  std::error_code ignored;
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const char* end = name.data() + name.size();
    if (name.rfind(prefix, 0) != 0 || std::from_chars(name.data() + prefix.size(), end, pid).ptr != end) continue;
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) unlink(entry.path().c_str());
  }
}

}  // namespace

std::string system_reason(int error) {
  return std::error_code(error, std::generic_category()).message();
}

InputFile::InputFile(const std::string& path, std::stop_token stop)
    : path_(path == "-" ? "standard input" : path), stop_(std::move(stop)) {
  fd_ = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw Error(Errc::not_found, fmt::format("{}: cannot open: {}", path_, system_reason(errno)));
  struct stat info {};
  if (fstat(fd_, &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      close(fd_);
      fd_ = -1;
      throw Error(Errc::not_found, fmt::format("{}: is a folder; name a file", path_));
    }
    if (S_ISREG(info.st_mode)) {
      size_ = static_cast<std::uint64_t>(info.st_size);
      if (size_ > kReadAheadBytes) posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
    } else {
      may_wait_ = true;
    }
  }
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      may_wait_(other.may_wait_),
      stop_(std::move(other.stop_)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(may_wait_, other.may_wait_);
  std::swap(stop_, other.stop_);
  return *this;
}

InputFile::~InputFile() {
  if (fd_ >= 0) close(fd_);
}

void InputFile::wait() {
  pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
  while (poll(&waiting, 1, kPollMilliseconds) == 0 || waiting.revents == 0)
    if (stop_.stop_requested()) throw Error(Errc::interrupted, "interrupted");
}

std::size_t InputFile::read_some(char* buffer, std::size_t size) {
  if (may_wait_ && stop_.stop_possible()) wait();
  while (true) {
    const ssize_t got = ::read(fd_, buffer, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw Error(Errc::not_found, fmt::format("{}: cannot read: {}", path_, system_reason(errno)));
  }
}

std::size_t InputFile::read(char* buffer, std::size_t size) {
  std::size_t have = 0;
  while (have < size) {
    const std::size_t got = read_some(buffer + have, size - have);
    if (got == 0) break;
    have += got;
  }
  return have;
}

OutputFile::OutputFile(const std::string& path) : path_(path == "-" ? "standard output" : path) {
  fd_ = path == "-" ? dup(STDOUT_FILENO) : open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) refuse_write(path_, errno);
  buffer_.reserve(kBufferBytes);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)),
      written_(other.written_) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() > kBufferBytes)
    put(bytes);
  else
    buffer_.append(bytes);
}

void OutputFile::write_decimal(std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  write({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void OutputFile::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse_write(path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
    written_ += static_cast<std::uint64_t>(done);
  }
}

void OutputFile::flush() {
  put(buffer_);
  buffer_.clear();
}

void OutputFile::close() {
  flush();
  // Pipes and terminals cannot be synced, and need not be.
  if (fsync(fd_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) refuse_write(path_, errno);
  close_unsynced();
}

void OutputFile::close_unsynced() {
  flush();
  if (::close(std::exchange(fd_, -1)) != 0) refuse_write(path_, errno);
}

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  struct stat info {};
  const bool exists = path != "-" && stat(path.c_str(), &info) == 0;
  if (path == "-" || (exists && !S_ISREG(info.st_mode))) {
    out_.emplace(path);
    return;
  }
  if (exists) {
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::canonical(path, ignored);
    if (!real.empty()) path_ = real.string();
  }
  remove_abandoned(path_);
  aside_ = fmt::format("{}.partial-{}", path_, getpid());
  out_.emplace(aside_);
  // Who may read the old one may read the new one, and nobody else.
  if (exists && chmod(aside_.c_str(), info.st_mode & 07777U) != 0) refuse_write(aside_, errno);
}

AtomicFile::~AtomicFile() {
  if (!committed_ && !aside_.empty()) unlink(aside_.c_str());
}

void AtomicFile::commit() {
  if (aside_.empty()) {
    out_->flush();
  } else {
    out_->close();
    rename_checked(aside_, path_);
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    sync_folder(folder.empty() ? "." : folder);
  }
  committed_ = true;
}

FileLock::FileLock(const std::string& path) {
  // A file that was replaced while we waited for it is not the one to lock: look again.
  for (int attempt = 0; attempt < 100; ++attempt) {
    fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) throw Error(Errc::not_found, fmt::format("{}: cannot open: {}", path, system_reason(errno)));
    const bool locked = flock(fd_, LOCK_EX | LOCK_NB) == 0;
    struct stat ours {};
    struct stat now {};
    if (locked && fstat(fd_, &ours) == 0 && stat(path.c_str(), &now) == 0 && ours.st_ino == now.st_ino &&
        ours.st_dev == now.st_dev)
      return;
    close(std::exchange(fd_, -1));
    if (!locked) break;
  }
  throw Error(Errc::busy, fmt::format("{}: another program is writing to it; wait until it is done", path));
}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

void sync_folder(const std::filesystem::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  // Some file systems cannot sync a folder, and need not.
  const int error = fsync(fd) != 0 && errno != EINVAL ? errno : 0;
  close(fd);
  if (error != 0) refuse_write(folder.string(), error);
}

void make_folder(const std::filesystem::path& folder) {
  if (mkdir(folder.c_str(), 0777) != 0) refuse_write(folder.string(), errno);
}

void make_folders(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return;
  std::error_code ignored;
  for (fs::path above = folder; !above.empty() && above != above.parent_path(); above = above.parent_path())
    if (fs::exists(fs::symlink_status(above, ignored)) && !fs::is_directory(above, ignored))
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: is not a folder, so nothing can be written below it; name another", above.string()));
  refuse_write(folder.string(), error.value());
}

void sync_filesystem(const std::filesystem::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int error = fd < 0 || syncfs(fd) != 0 ? errno : 0;
  if (fd >= 0) close(fd);
  if (error != 0) refuse_write(folder.string(), error);
}

void rename_checked(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return;
  const int error = errno;
  if (error == ENOSPC || error == EDQUOT) refuse_write(to.string(), error);
  throw Error(Errc::io, fmt::format("{}: cannot rename to {}: {}", from.string(), to.string(), system_reason(error)));
}

std::string read_file(const std::string& path) {
  InputFile file(path);
  std::string content;
  std::size_t have = 0;
  do {
    have = content.size();
    content.resize(have + std::max<std::size_t>(std::size_t{64} << 10, have));
    content.resize(have + file.read(content.data() + have, content.size() - have));
  } while (content.size() != have);
  return content;
}

std::string read_file_part(const std::string& path, std::uint64_t begin, std::uint64_t size) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw Error(Errc::not_found, fmt::format("{}: cannot open: {}", path, system_reason(errno)));
  std::string bytes;
  struct stat info {};
  const std::uint64_t there = fstat(fd, &info) == 0 && info.st_size > 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
  bytes.resize(std::min(size, there - std::min(there, begin)));
  std::size_t got = 0;
  int error = 0;
  while (got < bytes.size()) {
    const ssize_t more = pread(fd, bytes.data() + got, bytes.size() - got, static_cast<off_t>(begin + got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) error = errno;
    if (more <= 0) break;
    got += static_cast<std::size_t>(more);
  }
  close(fd);
  if (error != 0) throw Error(Errc::not_found, fmt::format("{}: cannot read: {}", path, system_reason(error)));
  bytes.resize(got);
  return bytes;
}

}  // namespace refrain
