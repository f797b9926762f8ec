// A disk that fails on request. Loaded with LD_PRELOAD, this library counts the calls that change files below one
// folder, or those that look at them, and makes one of them fail, or kills the program there.
//
//   FAULTS_FOLDER   the folder, an absolute path without links
//   FAULTS_READS    if set, calls that look at files are counted: open, read, pread, mmap, stat, flock, readdir;
//                   otherwise calls that change them
//   FAULTS_ONLY     if set, only this call is counted: "read PATH"
//   FAULTS_LOG      a file to which a line is appended for every counted call: "write PATH"
//   FAULTS_AT       the number of the call that fails, from 1; if unset, none fails
//   FAULTS_ERRNO    the error number; if unset, the program is killed at this call, after a write has written half of
//                   its bytes
//   FAULTS_SHORT    if set, a read or pread that should fail returns half of its bytes instead, but at least one
//   FAULTS_STOPS    if set, the program stops itself there (SIGSTOP), and the call succeeds after it is continued
//   FAULTS_STAYS    if set, all later calls of that kind on that path fail too, as on a disk with a bad sector
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "fault/interpose.h"

namespace {

using interpose::is_within;
using interpose::mode_of;
using interpose::path_of;
using interpose::real;
using interpose::setting;
using interpose::writes;

std::atomic<long> calls{0};

bool counts(const std::string& path) {
  return is_within(path, setting("FAULTS_FOLDER"));
}

[[noreturn]] void die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

std::mutex broken_mutex;
std::string broken;  // "call path" that fails from now on

bool is_broken(const std::string& line) {
  const std::lock_guard lock(broken_mutex);
  return !broken.empty() && broken == line;
}

// Counts a call. Returns whether it should fail, and sets errno then. Before the program is killed, `torn` is called.
template <class Torn>
bool fails(const char* call, const std::string& path, Torn torn) {
  const int before = errno;
  if (!counts(path)) {
    errno = before;
    return false;
  }
  const std::string line = std::string(call) + " " + path + "\n";
  if (const std::string only = setting("FAULTS_ONLY"); !only.empty() && line != only + "\n") {
    errno = before;
    return false;
  }
  const long number = ++calls;
  if (const char* log = setting("FAULTS_LOG"); *log != '\0') {
    const long fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    syscall(SYS_write, fd, line.data(), line.size());
    syscall(SYS_close, fd);
  }
  errno = before;
  if (number != std::atol(setting("FAULTS_AT")) && !is_broken(line)) return false;
  if (*setting("FAULTS_STOPS") != '\0') {
    kill(getpid(), SIGSTOP);
    errno = before;
    return false;
  }
  if (*setting("FAULTS_STAYS") != '\0') {
    const std::lock_guard lock(broken_mutex);
    broken = line;
  }
  const int error = std::atoi(setting("FAULTS_ERRNO"));
  if (error == 0) {
    torn();
    die();
  }
  errno = error;
  return true;
}

bool fails(const char* call, const std::string& path) {
  return *setting("FAULTS_READS") == '\0' && fails(call, path, [] {});
}

// Does the same for calls that look at files.
bool read_call_fails(const char* call, const std::string& path) {
  return *setting("FAULTS_READS") != '\0' && fails(call, path, [] {});
}

// Halves the number of bytes that a failing read asks for, if FAULTS_SHORT is set.
bool cut_short(size_t& size) {
  if (*setting("FAULTS_SHORT") == '\0') return false;
  size = (size + 1) / 2;
  return true;
}

int open_at(const char* name, int folder, const char* path, int flags, mode_t mode) {
  if (writes(flags) ? fails("open", path_of(folder, path)) : read_call_fails("open", path_of(folder, path))) return -1;
  return real<int(int, const char*, int, ...)>(name)(folder, path, flags, mode);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_at("openat", AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_at("openat64", AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_at("openat", folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_at("openat64", folder, path, flags, mode);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  auto* next = real<ssize_t(int, const void*, size_t)>("write");
  const auto half = [&] { next(fd, bytes, size / 2); };
  if (*setting("FAULTS_READS") != '\0') return next(fd, bytes, size);
  return fails("write", path_of(fd), half) ? -1 : next(fd, bytes, size);
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  auto* next = real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  const auto half = [&] { next(fd, bytes, size / 2, at); };
  if (*setting("FAULTS_READS") != '\0') return next(fd, bytes, size, at);
  return fails("pwrite", path_of(fd), half) ? -1 : next(fd, bytes, size, at);
}

ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t at) {
  auto* next = real<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  const auto half = [&] { next(fd, bytes, size / 2, at); };
  if (*setting("FAULTS_READS") != '\0') return next(fd, bytes, size, at);
  return fails("pwrite", path_of(fd), half) ? -1 : next(fd, bytes, size, at);
}

int fsync(int fd) {
  return fails("fsync", path_of(fd)) ? -1 : real<int(int)>("fsync")(fd);
}

int fdatasync(int fd) {
  return fails("fdatasync", path_of(fd)) ? -1 : real<int(int)>("fdatasync")(fd);
}

int syncfs(int fd) noexcept {
  return fails("syncfs", path_of(fd)) ? -1 : real<int(int)>("syncfs")(fd);
}

int rename(const char* from, const char* to) noexcept {
  return fails("rename", path_of(AT_FDCWD, to)) ? -1 : real<int(const char*, const char*)>("rename")(from, to);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  if (fails("rename", path_of(to_folder, to))) return -1;
  return real<int(int, const char*, int, const char*)>("renameat")(from_folder, from, to_folder, to);
}

int mkdir(const char* path, mode_t mode) noexcept {
  return fails("mkdir", path_of(AT_FDCWD, path)) ? -1 : real<int(const char*, mode_t)>("mkdir")(path, mode);
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return fails("mkdir", path_of(folder, path)) ? -1
                                               : real<int(int, const char*, mode_t)>("mkdirat")(folder, path, mode);
}

int unlink(const char* path) noexcept {
  return fails("unlink", path_of(AT_FDCWD, path)) ? -1 : real<int(const char*)>("unlink")(path);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return fails("unlink", path_of(folder, path)) ? -1
                                                : real<int(int, const char*, int)>("unlinkat")(folder, path, flags);
}

int rmdir(const char* path) noexcept {
  return fails("unlink", path_of(AT_FDCWD, path)) ? -1 : real<int(const char*)>("rmdir")(path);
}

int remove(const char* path) noexcept {
  return fails("unlink", path_of(AT_FDCWD, path)) ? -1 : real<int(const char*)>("remove")(path);
}

int chmod(const char* path, mode_t mode) noexcept {
  return fails("chmod", path_of(AT_FDCWD, path)) ? -1 : real<int(const char*, mode_t)>("chmod")(path, mode);
}

int ftruncate(int fd, off_t size) noexcept {
  return fails("ftruncate", path_of(fd)) ? -1 : real<int(int, off_t)>("ftruncate")(fd, size);
}

int ftruncate64(int fd, off64_t size) noexcept {
  return fails("ftruncate", path_of(fd)) ? -1 : real<int(int, off64_t)>("ftruncate64")(fd, size);
}

int fallocate(int fd, int mode, off_t at, off_t size) {
  return fails("fallocate", path_of(fd)) ? -1 : real<int(int, int, off_t, off_t)>("fallocate")(fd, mode, at, size);
}

int fallocate64(int fd, int mode, off64_t at, off64_t size) {
  return fails("fallocate", path_of(fd)) ? -1
                                         : real<int(int, int, off64_t, off64_t)>("fallocate64")(fd, mode, at, size);
}

ssize_t read(int fd, void* bytes, size_t size) {
  if (read_call_fails("read", path_of(fd)) && !cut_short(size)) return -1;
  return real<ssize_t(int, void*, size_t)>("read")(fd, bytes, size);
}

ssize_t pread(int fd, void* bytes, size_t size, off_t at) {
  if (read_call_fails("pread", path_of(fd)) && !cut_short(size)) return -1;
  return real<ssize_t(int, void*, size_t, off_t)>("pread")(fd, bytes, size, at);
}

ssize_t pread64(int fd, void* bytes, size_t size, off64_t at) {
  if (read_call_fails("pread", path_of(fd)) && !cut_short(size)) return -1;
  return real<ssize_t(int, void*, size_t, off64_t)>("pread64")(fd, bytes, size, at);
}

void* mmap(void* to, size_t size, int protection, int flags, int fd, off_t at) noexcept {
  if (fd >= 0 && read_call_fails("mmap", path_of(fd))) return MAP_FAILED;
  return real<void*(void*, size_t, int, int, int, off_t)>("mmap")(to, size, protection, flags, fd, at);
}

int fstat(int fd, struct stat* info) noexcept {
  return read_call_fails("fstat", path_of(fd)) ? -1 : real<int(int, struct stat*)>("fstat")(fd, info);
}

int stat(const char* path, struct stat* info) noexcept {
  if (read_call_fails("stat", path_of(AT_FDCWD, path))) return -1;
  return real<int(const char*, struct stat*)>("stat")(path, info);
}

int lstat(const char* path, struct stat* info) noexcept {
  if (read_call_fails("stat", path_of(AT_FDCWD, path))) return -1;
  return real<int(const char*, struct stat*)>("lstat")(path, info);
}

int flock(int fd, int operation) noexcept {
  return read_call_fails("flock", path_of(fd)) ? -1 : real<int(int, int)>("flock")(fd, operation);
}

DIR* opendir(const char* path) {
  if (read_call_fails("open", path_of(AT_FDCWD, path))) return nullptr;
  return real<DIR*(const char*)>("opendir")(path);
}

DIR* fdopendir(int fd) {
  return read_call_fails("open", path_of(fd)) ? nullptr : real<DIR*(int)>("fdopendir")(fd);
}

dirent* readdir(DIR* folder) {
  return read_call_fails("readdir", path_of(dirfd(folder))) ? nullptr : real<dirent*(DIR*)>("readdir")(folder);
}

dirent64* readdir64(DIR* folder) {
  return read_call_fails("readdir", path_of(dirfd(folder))) ? nullptr : real<dirent64*(DIR*)>("readdir64")(folder);
}

FILE* fopen(const char* path, const char* mode) {
  if (mode[0] == 'r' && read_call_fails("open", path_of(AT_FDCWD, path))) return nullptr;
  return real<FILE*(const char*, const char*)>("fopen")(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  if (mode[0] == 'r' && read_call_fails("open", path_of(AT_FDCWD, path))) return nullptr;
  return real<FILE*(const char*, const char*)>("fopen64")(path, mode);
}

}  // extern "C"
