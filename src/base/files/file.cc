#include "base/files/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/files/path.h"
#include "base/files/temp.h"
#include "refrain/error.h"

namespace refrain {

namespace {

constexpr std::uint64_t kReadAheadBytes = std::uint64_t{128} << 10;  // the system reads this far ahead by default
constexpr int kPollMilliseconds = 100;

// Whether an open file no longer has this name, because it was removed or replaced.
bool was_renamed_or_removed(int fd, const std::string& path) {
  struct stat ours {};
  struct stat now {};
  if (lstat(path.c_str(), &now) != 0) return errno == ENOENT;
  return fstat(fd, &ours) == 0 && (ours.st_ino != now.st_ino || ours.st_dev != now.st_dev);
}

// Removes files that killed programs left beside `path`: files of this user, with a name that AtomicFile makes, that
// no process has locked. (A process number would say nothing about programs on another machine or in another
// container.)
void remove_abandoned(const std::string& path) {
  const std::filesystem::path target(path);
  const std::string target_name = target.filename().string();
  std::error_code ignored;
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    if (!is_aside_of(at->path().filename().string(), target_name)) continue;
    const int fd = open(at->path().c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) continue;
    struct stat info {};
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0 && !was_renamed_or_removed(fd, at->path().string()))
      unlink(at->path().c_str());
    close(fd);
  }
}

}  // namespace

std::string system_reason(int error) {
  return std::error_code(error, std::generic_category()).message();
}

void throw_write_error(const std::string& path, int error) {
  if (error == ENOSPC || error == EDQUOT)
    throw Error(Errc::over_budget, fmt::format("{}: disk full; free some space, or write elsewhere", path));
  throw Error(Errc::io, fmt::format("{}: cannot write: {}", path, system_reason(error)));
}

void throw_read_error(const std::string& path, std::string_view call, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  throw Error(missing ? Errc::not_found : Errc::io, fmt::format("{}: cannot {}: {}", path, call, system_reason(error)));
}

InputFile::InputFile(const std::string& path, std::stop_token stop)
    : path_(path == "-" ? "standard input" : path), stop_(std::move(stop)) {
  fd_ = retry_on_eintr(
      [&] { return path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (fd_ < 0) throw_read_error(path_, "open", errno);
  struct stat info {};
  const int error = retry_on_eintr([&] { return fstat(fd_, &info); }) == 0 ? 0 : errno;
  if (error != 0 || S_ISDIR(info.st_mode)) {
    close(std::exchange(fd_, -1));
    if (error != 0) throw_read_error(path_, "stat", error);
    throw Error(Errc::not_found, fmt::format("{}: is a folder; name a file", path_));
  }
  if (S_ISREG(info.st_mode)) {
    size_ = static_cast<std::uint64_t>(info.st_size);
    if (size_ > kReadAheadBytes) posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
  } else {
    may_wait_ = true;
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
  const ssize_t got = retry_on_eintr([&] { return ::read(fd_, buffer, size); });
  if (got < 0) throw_read_error(path_, "read", errno);
  return static_cast<std::size_t>(got);
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
  fd_ = retry_on_eintr([&] {
    return path == "-" ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                       : open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  });
  if (fd_ < 0) throw_write_error(path_, errno);
  buffer_.reserve(kBufferBytes);
}

std::optional<OutputFile> OutputFile::create_new(const std::string& path, unsigned mode) {
  const int fd =
      retry_on_eintr([&] { return open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode); });
  if (fd < 0 && errno == EEXIST) return std::nullopt;
  if (fd < 0) throw_write_error(path, errno);
  flock(fd, LOCK_EX | LOCK_NB);            // without locks, no program takes the file for abandoned either
  if (was_renamed_or_removed(fd, path)) {  // another program took it for abandoned before it was locked
    ::close(fd);
    return std::nullopt;
  }
  return OutputFile(path, fd);
}

OutputFile::OutputFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {
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
    if (done < 0) throw_write_error(path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
    written_ += static_cast<std::uint64_t>(done);
  }
}

void OutputFile::write_at(std::uint64_t place, std::string_view bytes) const {
  const std::lock_guard lock(*placing_);
  while (!bytes.empty()) {
    const ssize_t done =
        retry_on_eintr([&] { return pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(place)); });
    if (done < 0) throw_write_error(path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
    place += static_cast<std::uint64_t>(done);
  }
}

void OutputFile::flush() {
  put(buffer_);
  buffer_.clear();
}

void OutputFile::close() {
  flush();
  // Pipes and terminals cannot be synced, and do not need to be. If a disk has become read-only, the data is lost.
  if (retry_on_eintr([&] { return fsync(fd_); }) != 0 && errno != EINVAL && errno != ENOTSUP)
    throw_write_error(path_, errno);
  close_unsynced();
}

void OutputFile::close_unsynced() {
  flush();
  if (::close(std::exchange(fd_, -1)) != 0) throw_write_error(path_, errno);
}

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  struct stat info {};
  const bool exists = path != "-" && retry_on_eintr([&] { return stat(path.c_str(), &info); }) == 0;
  // A path that cannot be examined might be anything, so this is an error; a link that leads nowhere is replaced.
  if (path != "-" && !exists && errno != ENOENT && errno != ENOTDIR) throw_read_error(path, "stat", errno);
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
  // The new file has the permissions of the old one at all times, so no one else can ever read it.
  const unsigned mode = exists ? info.st_mode & 0777U : 0666U;
  for (unsigned attempt = 0; attempt < kMaxAsides && !out_; ++attempt) {
    aside_ = aside_name(path_, attempt);
    if (std::optional<OutputFile> made = OutputFile::create_new(aside_, mode)) out_.emplace(std::move(*made));
  }
  if (!out_) throw_write_error(std::exchange(aside_, {}), EEXIST);
  if (exists && chmod(aside_.c_str(), info.st_mode & 07777U) != 0) {
    const int error = errno;
    unlink(aside_.c_str());
    throw_write_error(aside_, error);
  }
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
  // If the file was replaced while it was being locked, the lock is on the wrong file: try again.
  for (int attempt = 0; attempt < 100; ++attempt) {
    // Opened for writing, because some network file systems give no lock otherwise, and without blocking on a pipe
    // that nobody reads.
    fd_ = retry_on_eintr([&] { return open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC); });
    if (fd_ < 0 && (errno == ENOSPC || errno == EDQUOT)) throw_write_error(path, errno);
    if (fd_ < 0) throw_read_error(path, "open for locking", errno);
    struct stat ours {};
    struct stat now {};
    const auto give_up = [&](std::string_view call) {
      const int error = errno;
      close(std::exchange(fd_, -1));
      throw_read_error(path, call, error);
    };
    if (retry_on_eintr([&] { return flock(fd_, LOCK_EX | LOCK_NB); }) != 0) {
      if (errno != EWOULDBLOCK) give_up("lock");
      break;
    }
    if (retry_on_eintr([&] { return fstat(fd_, &ours); }) != 0) give_up("stat");
    if (retry_on_eintr([&] { return stat(path.c_str(), &now); }) != 0 && errno != ENOENT) give_up("stat");
    if (ours.st_ino == now.st_ino && ours.st_dev == now.st_dev) return;
    close(std::exchange(fd_, -1));
  }
  if (fd_ >= 0) close(std::exchange(fd_, -1));
  throw Error(Errc::busy, fmt::format("{}: another process is writing to it; wait until it has finished", path));
}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

RandomFile::RandomFile(const std::filesystem::path& path) : path_(path.string()) {
  fd_ = retry_on_eintr([&] { return open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); });
  if (fd_ < 0) throw_read_error(path_, "open", errno);
  struct stat info {};
  const int error = retry_on_eintr([&] { return fstat(fd_, &info); }) == 0 ? 0 : errno;
  if (error == 0 && S_ISREG(info.st_mode)) {
    size_ = static_cast<std::uint64_t>(info.st_size);
    return;
  }
  close(fd_);
  if (error != 0) throw_read_error(path_, "stat", error);
  throw Error(Errc::unsupported, fmt::format("{}: is not a regular file", path_));
}

RandomFile::~RandomFile() {
  close(fd_);
}

std::size_t RandomFile::read_up_to(std::uint64_t offset, std::span<char> to) const {
  std::size_t have = 0;
  while (have < to.size()) {
    const ssize_t got = retry_on_eintr(
        [&] { return pread(fd_, to.data() + have, to.size() - have, static_cast<off_t>(offset + have)); });
    if (got < 0) throw_read_error(path_, "read", errno);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return have;
}

void RandomFile::read(std::uint64_t offset, std::span<char> to) const {
  if (read_up_to(offset, to) < to.size()) throw Error(Errc::corrupt, fmt::format("{}: ends early", path_));
}

std::string read_file(const std::filesystem::path& path) {
  return read_file_part(path, 0, ~std::uint64_t{0});
}

std::string read_file_part(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t size) {
  const RandomFile file(path);
  std::string bytes(std::min(size, file.size() - std::min(file.size(), begin)), '\0');
  bytes.resize(file.read_up_to(begin, bytes));
  return bytes;
}

AppendFile::AppendFile(std::string path) : path_(std::move(path)) {
  fd_ = retry_on_eintr([&] { return open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
  if (fd_ < 0 && errno == EEXIST) throw Error(Errc::busy, fmt::format("{}: already exists", path_));
  if (fd_ < 0) throw_write_error(path_, errno);
}

AppendFile::~AppendFile() {
  ::close(fd_);
}

void AppendFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done =
        retry_on_eintr([&] { return pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(bytes_)); });
    if (done < 0) throw_write_error(path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
    bytes_ += static_cast<std::uint64_t>(done);
  }
}

void AppendFile::sync() {
  if (retry_on_eintr([&] { return fdatasync(fd_); }) != 0) throw_write_error(path_, errno);
}

bool AppendFile::cut(std::uint64_t bytes) noexcept {
  if (retry_on_eintr([&] { return ftruncate(fd_, static_cast<off_t>(bytes)); }) != 0) return false;
  bytes_ = bytes;
  return true;
}

}  // namespace refrain
