// A disk that fails when it is told to. Loaded with LD_PRELOAD, it counts the calls that change files below one folder,
// or those that look at them, and lets one of them fail, or end the program there.
//
//   FAULTS_FOLDER   the folder, an absolute path without links
//   FAULTS_READS    where set, calls that look at files count: open, read, pread, mmap, stat, flock, readdir; else calls
//                   that change them
//   FAULTS_ONLY     where set, no call counts but this: "read PATH"
//   FAULTS_LOG      a file to which a line is added for every such call: "write PATH"
//   FAULTS_AT       the call that fails, from 1; without it none does
//   FAULTS_ERRNO    what it fails with, a number; without it the program is killed there, and a write has by then
//                   written half of its bytes
//   FAULTS_SHORT    where set, a read or pread that is to fail gives half of its bytes instead, one at least
//   FAULTS_STAYS    where set, all later calls of that kind on that path fail too, as on a disk with a bad sector
#include <dirent.h>
#include <dlfcn.h>
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

namespace {

std::atomic<long> calls{0};

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::string link_target(const std::string& link) {
  std::string target(4096, '\0');
  const ssize_t size = readlink(link.c_str(), target.data(), target.size());
  target.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return target;
}

std::string path_of(int fd) {
  return link_target("/proc/self/fd/" + std::to_string(fd));
}

std::string path_of(int folder, const char* path) {
  if (path[0] == '/') return path;
  return (folder == AT_FDCWD ? link_target("/proc/self/cwd") : path_of(folder)) + "/" + path;
}

bool counts(const std::string& path) {
  const std::string folder = setting("FAULTS_FOLDER");
  return !folder.empty() && path.compare(0, folder.size(), folder) == 0 &&
         (path.size() == folder.size() || path[folder.size()] == '/');
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

// Counts a call. Whether it is to fail; errno is set then. `torn` is done before the program is killed.
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

// The same of calls that look at files.
bool fails_to_look(const char* call, const std::string& path) {
  return *setting("FAULTS_READS") != '\0' && fails(call, path, [] {});
}

// How many bytes are asked for: a read that is cut short gets half of them.
bool cut_short(size_t& size) {
  if (*setting("FAULTS_SHORT") == '\0') return false;
  size = (size + 1) / 2;
  return true;
}

bool writes(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
}

mode_t mode_of(int flags, va_list& more) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
}

int open_at(const char* name, int folder, const char* path, int flags, mode_t mode) {
  if (writes(flags) ? fails("open", path_of(folder, path)) : fails_to_look("open", path_of(folder, path))) return -1;
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
  if (fails_to_look("read", path_of(fd)) && !cut_short(size)) return -1;
  return real<ssize_t(int, void*, size_t)>("read")(fd, bytes, size);
}

ssize_t pread(int fd, void* bytes, size_t size, off_t at) {
  if (fails_to_look("pread", path_of(fd)) && !cut_short(size)) return -1;
  return real<ssize_t(int, void*, size_t, off_t)>("pread")(fd, bytes, size, at);
}

ssize_t pread64(int fd, void* bytes, size_t size, off64_t at) {
  if (fails_to_look("pread", path_of(fd)) && !cut_short(size)) return -1;
  return real<ssize_t(int, void*, size_t, off64_t)>("pread64")(fd, bytes, size, at);
}

void* mmap(void* to, size_t size, int protection, int flags, int fd, off_t at) noexcept {
  if (fd >= 0 && fails_to_look("mmap", path_of(fd))) return MAP_FAILED;
  return real<void*(void*, size_t, int, int, int, off_t)>("mmap")(to, size, protection, flags, fd, at);
}

int fstat(int fd, struct stat* info) noexcept {
  return fails_to_look("fstat", path_of(fd)) ? -1 : real<int(int, struct stat*)>("fstat")(fd, info);
}

int stat(const char* path, struct stat* info) noexcept {
  if (fails_to_look("stat", path_of(AT_FDCWD, path))) return -1;
  return real<int(const char*, struct stat*)>("stat")(path, info);
}

int lstat(const char* path, struct stat* info) noexcept {
  if (fails_to_look("stat", path_of(AT_FDCWD, path))) return -1;
  return real<int(const char*, struct stat*)>("lstat")(path, info);
}

int flock(int fd, int operation) noexcept {
  return fails_to_look("flock", path_of(fd)) ? -1 : real<int(int, int)>("flock")(fd, operation);
}

DIR* opendir(const char* path) {
  if (fails_to_look("open", path_of(AT_FDCWD, path))) return nullptr;
  return real<DIR*(const char*)>("opendir")(path);
}

DIR* fdopendir(int fd) {
  return fails_to_look("open", path_of(fd)) ? nullptr : real<DIR*(int)>("fdopendir")(fd);
}

dirent* readdir(DIR* folder) {
  return fails_to_look("readdir", path_of(dirfd(folder))) ? nullptr : real<dirent*(DIR*)>("readdir")(folder);
}

dirent64* readdir64(DIR* folder) {
  return fails_to_look("readdir", path_of(dirfd(folder))) ? nullptr : real<dirent64*(DIR*)>("readdir64")(folder);
}

FILE* fopen(const char* path, const char* mode) {
  if (mode[0] == 'r' && fails_to_look("open", path_of(AT_FDCWD, path))) return nullptr;
  return real<FILE*(const char*, const char*)>("fopen")(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  if (mode[0] == 'r' && fails_to_look("open", path_of(AT_FDCWD, path))) return nullptr;
  return real<FILE*(const char*, const char*)>("fopen64")(path, mode);
}

}  // extern "C"
