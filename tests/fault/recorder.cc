// Records what a program does to the files below one folder, for tests/torture/disk_model.py. Loaded with LD_PRELOAD.
// Calls are serialized, so the log has them in the order in which they happened.
//
//   RECORDER_FOLDER   the folder, an absolute path without links
//   RECORDER_LOG      the file to which the calls are appended
//
// The log has a line for each call, with fields separated by tabs. INODE is the file's inode number.
//
//   create INODE PATH            mkdir INODE PATH            nameless INODE         a file without a name (O_TMPFILE)
//   write INODE PLACE SIZE       followed by the bytes and a newline
//   truncate INODE SIZE          zero INODE PLACE SIZE       extend INODE SIZE      with zeros, if it is smaller
//   rename FROM TO               link INODE PATH             unlink PATH            rmdir PATH
//   sync INODE                   a file or a folder          syncfs
//   send FD SIZE                 bytes to be sent to a client follow, and a newline; recorded before they are sent
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "fault/interpose.h"

namespace {

using interpose::is_within;
using interpose::mode_of;
using interpose::path_of;
using interpose::real;
using interpose::setting;

std::mutex one_call;

void put(std::string_view bytes) {
  static const long log =
      syscall(SYS_openat, AT_FDCWD, setting("RECORDER_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  while (!bytes.empty()) {
    const long done = syscall(SYS_write, log, bytes.data(), bytes.size());
    if (done <= 0) _exit(99);  // a log with a gap would be worse than none
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

template <class... Fields>
void record(const char* call, const Fields&... fields) {
  const int before = errno;
  std::string line = call;
  [[maybe_unused]] const auto text = [](const auto& field) -> std::string {
    if constexpr (std::is_integral_v<std::decay_t<decltype(field)>>)
      return std::to_string(field);
    else
      return field;
  };
  ((line += "\t" + text(fields)), ...);
  put(line + "\n");
  errno = before;
}

bool is_recorded(const std::string& path) {
  return is_within(path, setting("RECORDER_FOLDER"));
}

std::string absolute(int folder, const char* path) {
  constexpr std::string_view kHere = "/proc/self/cwd";  // an absolute path that is the same in every folder
  std::string whole = path_of(folder, path);
  if (is_within(whole, std::string(kHere))) whole.replace(0, kHere.size(), interpose::link_target(std::string(kHere)));
  for (std::size_t at = 0; (at = whole.find("/./")) != std::string::npos;) whole.erase(at, 2);
  while (whole.size() > 1 && whole.back() == '/') whole.pop_back();
  if (whole.ends_with("/.")) whole.resize(whole.size() - 2);
  return whole;
}

// Returns the inode of an open file below the folder, even if it no longer has a name.
std::optional<ino_t> inode_of(int fd) {
  const int before = errno;
  struct stat info {};
  const bool ours = is_recorded(path_of(fd)) && fstat(fd, &info) == 0;
  errno = before;
  return ours ? std::optional(info.st_ino) : std::nullopt;
}

std::optional<ino_t> inode_of(const std::string& path) {
  const int before = errno;
  struct stat info {};
  const bool there = lstat(path.c_str(), &info) == 0;
  errno = before;
  return there ? std::optional(info.st_ino) : std::nullopt;
}

// Reads the bytes that were just written back from the file, whichever call wrote them.
void record_write(ino_t inode, int fd, off_t place, ssize_t size) {
  const int before = errno;
  const std::string again = "/proc/self/fd/" + std::to_string(fd);  // it may be open only for writing
  const long reader = syscall(SYS_openat, AT_FDCWD, again.c_str(), O_RDONLY | O_CLOEXEC);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (reader < 0 || syscall(SYS_pread64, reader, bytes.data(), bytes.size(), place) != size) _exit(99);
  syscall(SYS_close, reader);
  record("write", inode, place, size);
  put(bytes + "\n");
  errno = before;
}

// Records a write at the current offset of the file.
template <class Call>
ssize_t written(int fd, const Call& call) {
  const std::optional<ino_t> inode = inode_of(fd);
  if (!inode) return call();
  const std::lock_guard lock(one_call);
  const ssize_t done = call();
  if (done > 0) record_write(*inode, fd, lseek(fd, 0, SEEK_CUR) - done, done);
  return done;
}

template <class Call>
ssize_t written_at(int fd, off_t place, const Call& call) {
  const std::optional<ino_t> inode = inode_of(fd);
  if (!inode) return call();
  const std::lock_guard lock(one_call);
  const ssize_t done = call();
  if (done > 0) record_write(*inode, fd, place, done);
  return done;
}

// Makes a call that returns 0 on success; then `then` records it.
template <class Call, class Then>
int done(bool recorded, const Call& call, const Then& then) {
  if (!recorded) return call();
  const std::lock_guard lock(one_call);
  const int result = call();
  if (result == 0) then();
  return result;
}

int synced(const char* name, int fd) {
  const std::optional<ino_t> inode = inode_of(fd);
  return done(
      inode.has_value(), [&] { return real<int(int)>(name)(fd); }, [&] { record("sync", *inode); });
}

int truncated(const char* name, int fd, off_t size) {
  const std::optional<ino_t> inode = inode_of(fd);
  return done(
      inode.has_value(), [&] { return real<int(int, off_t)>(name)(fd, size); },
      [&] { record("truncate", *inode, size); });
}

int allocated(const char* name, int fd, int mode, off_t place, off_t size) {
  const std::optional<ino_t> inode = inode_of(fd);
  return done(
      inode.has_value(), [&] { return real<int(int, int, off_t, off_t)>(name)(fd, mode, place, size); },
      [&] {
        if ((mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) != 0) record("zero", *inode, place, size);
        if ((mode & FALLOC_FL_KEEP_SIZE) == 0) record("extend", *inode, place + size);
      });
}

int renamed(int from_folder, const char* from, int to_folder, const char* to, const auto& call) {
  const std::string old_path = absolute(from_folder, from);
  const std::string new_path = absolute(to_folder, to);
  return done(is_recorded(old_path) || is_recorded(new_path), call, [&] { record("rename", old_path, new_path); });
}

int made_folder(int folder, const char* path, const auto& call) {
  const std::string whole = absolute(folder, path);
  return done(is_recorded(whole), call, [&] { record("mkdir", inode_of(whole).value_or(0), whole); });
}

int removed(int folder, const char* path, const auto& call) {
  const std::string whole = absolute(folder, path);
  if (!is_recorded(whole)) return call();
  struct stat info {};
  const int before = errno;
  const bool is_folder = lstat(whole.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  errno = before;
  return done(true, call, [&] { record(is_folder ? "rmdir" : "unlink", whole); });
}

int linked(int folder, const char* path, const auto& call) {
  const std::string whole = absolute(folder, path);
  return done(is_recorded(whole), call, [&] { record("link", inode_of(whole).value_or(0), whole); });
}

int opened(int folder, const char* path, int flags, mode_t mode) {
  const auto call = [&] { return real<int(int, const char*, int, ...)>("openat")(folder, path, flags, mode); };
  const std::string whole = absolute(folder, path);
  if ((flags & (O_CREAT | O_TRUNC)) == 0 && (flags & O_TMPFILE) != O_TMPFILE) return call();
  if (!is_recorded(whole)) return call();
  const std::lock_guard lock(one_call);
  const bool was_there = inode_of(whole).has_value();
  const int fd = call();
  if (fd < 0) return fd;
  const ino_t inode = inode_of(fd).value_or(0);
  if ((flags & O_TMPFILE) == O_TMPFILE)
    record("nameless", inode);
  else if (!was_there)
    record("create", inode, whole);
  else if ((flags & O_TRUNC) != 0)
    record("truncate", inode, 0);
  return fd;
}

FILE* opened(const char* name, const char* path, const char* mode) {
  const auto call = [&] { return real<FILE*(const char*, const char*)>(name)(path, mode); };
  const std::string whole = absolute(AT_FDCWD, path);
  if (mode[0] == 'r' || !is_recorded(whole)) return call();
  const std::lock_guard lock(one_call);
  const bool was_there = inode_of(whole).has_value();
  FILE* file = call();
  if (file == nullptr) return file;
  const ino_t inode = inode_of(whole).value_or(0);
  if (!was_there)
    record("create", inode, whole);
  else if (mode[0] == 'w')
    record("truncate", inode, 0);
  return file;
}

void record_send(int fd, std::string_view bytes) {
  const std::lock_guard lock(one_call);
  record("send", fd, bytes.size());
  put(std::string(bytes) + "\n");
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return opened(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return opened(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return opened(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return opened(folder, path, flags, mode);
}

int creat(const char* path, mode_t mode) {
  return opened(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

FILE* fopen(const char* path, const char* mode) {
  return opened("fopen", path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return opened("fopen64", path, mode);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  return written(fd, [&] { return real<ssize_t(int, const void*, size_t)>("write")(fd, bytes, size); });
}

ssize_t writev(int fd, const iovec* parts, int count) {
  return written(fd, [&] { return real<ssize_t(int, const iovec*, int)>("writev")(fd, parts, count); });
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  return written_at(fd, at,
                    [&] { return real<ssize_t(int, const void*, size_t, off_t)>("pwrite")(fd, bytes, size, at); });
}

ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t at) {
  return pwrite(fd, bytes, size, at);
}

ssize_t pwritev(int fd, const iovec* parts, int count, off_t at) {
  return written_at(fd, at,
                    [&] { return real<ssize_t(int, const iovec*, int, off_t)>("pwritev")(fd, parts, count, at); });
}

ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, size_t size, unsigned flags) {
  const auto call = [&] {
    auto* next = real<ssize_t(int, off64_t*, int, off64_t*, size_t, unsigned)>("copy_file_range");
    return next(from, from_at, to, to_at, size, flags);
  };
  return to_at == nullptr ? written(to, call) : written_at(to, *to_at, call);
}

ssize_t sendfile(int to, int from, off_t* from_at, size_t size) noexcept {
  return written(to, [&] { return real<ssize_t(int, int, off_t*, size_t)>("sendfile")(to, from, from_at, size); });
}

ssize_t sendfile64(int to, int from, off64_t* from_at, size_t size) noexcept {
  return sendfile(to, from, from_at, size);
}

int fsync(int fd) {
  return synced("fsync", fd);
}

int fdatasync(int fd) {
  return synced("fdatasync", fd);
}

int syncfs(int fd) noexcept {
  return done(
      true, [&] { return real<int(int)>("syncfs")(fd); }, [] { record("syncfs"); });
}

void sync() noexcept {
  const std::lock_guard lock(one_call);
  real<void()>("sync")();
  record("syncfs");
}

int ftruncate(int fd, off_t size) noexcept {
  return truncated("ftruncate", fd, size);
}

int ftruncate64(int fd, off64_t size) noexcept {
  return truncated("ftruncate64", fd, size);
}

int truncate(const char* path, off_t size) noexcept {
  const std::string whole = absolute(AT_FDCWD, path);
  return done(
      is_recorded(whole), [&] { return real<int(const char*, off_t)>("truncate")(path, size); },
      [&] { record("truncate", inode_of(whole).value_or(0), size); });
}

int fallocate(int fd, int mode, off_t at, off_t size) {
  return allocated("fallocate", fd, mode, at, size);
}

int fallocate64(int fd, int mode, off64_t at, off64_t size) {
  return allocated("fallocate64", fd, mode, at, size);
}

int posix_fallocate(int fd, off_t at, off_t size) {
  const std::optional<ino_t> inode = inode_of(fd);
  return done(
      inode.has_value(), [&] { return real<int(int, off_t, off_t)>("posix_fallocate")(fd, at, size); },
      [&] { record("extend", *inode, at + size); });
}

int rename(const char* from, const char* to) noexcept {
  return renamed(AT_FDCWD, from, AT_FDCWD, to, [&] { return real<int(const char*, const char*)>("rename")(from, to); });
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return renamed(from_folder, from, to_folder, to, [&] {
    return real<int(int, const char*, int, const char*)>("renameat")(from_folder, from, to_folder, to);
  });
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  if ((flags & RENAME_EXCHANGE) != 0) _exit(99);  // the model does not support it
  return renamed(from_folder, from, to_folder, to, [&] {
    return real<int(int, const char*, int, const char*, unsigned)>("renameat2")(from_folder, from, to_folder, to,
                                                                                flags);
  });
}

int mkdir(const char* path, mode_t mode) noexcept {
  return made_folder(AT_FDCWD, path, [&] { return real<int(const char*, mode_t)>("mkdir")(path, mode); });
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return made_folder(folder, path, [&] { return real<int(int, const char*, mode_t)>("mkdirat")(folder, path, mode); });
}

int unlink(const char* path) noexcept {
  return removed(AT_FDCWD, path, [&] { return real<int(const char*)>("unlink")(path); });
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return removed(folder, path, [&] { return real<int(int, const char*, int)>("unlinkat")(folder, path, flags); });
}

int rmdir(const char* path) noexcept {
  return removed(AT_FDCWD, path, [&] { return real<int(const char*)>("rmdir")(path); });
}

int remove(const char* path) noexcept {
  return removed(AT_FDCWD, path, [&] { return real<int(const char*)>("remove")(path); });
}

int link(const char* from, const char* to) noexcept {
  return linked(AT_FDCWD, to, [&] { return real<int(const char*, const char*)>("link")(from, to); });
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return linked(to_folder, to, [&] {
    return real<int(int, const char*, int, const char*, int)>("linkat")(from_folder, from, to_folder, to, flags);
  });
}

ssize_t send(int fd, const void* bytes, size_t size, int flags) {
  record_send(fd, {static_cast<const char*>(bytes), size});
  return real<ssize_t(int, const void*, size_t, int)>("send")(fd, bytes, size, flags);
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  std::string bytes;
  for (std::size_t i = 0; i < message->msg_iovlen; ++i)
    bytes.append(static_cast<const char*>(message->msg_iov[i].iov_base), message->msg_iov[i].iov_len);
  record_send(fd, bytes);
  return real<ssize_t(int, const msghdr*, int)>("sendmsg")(fd, message, flags);
}

}  // extern "C"
