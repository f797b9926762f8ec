// Shared by the libraries that intercept calls of libc: settings, the real functions, the paths of calls.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <string>

namespace interpose {

inline const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

inline std::string link_target(const std::string& link) {
  std::string target(4096, '\0');
  const ssize_t size = readlink(link.c_str(), target.data(), target.size());
  target.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return target;
}

inline std::string path_of(int fd) {
  return link_target("/proc/self/fd/" + std::to_string(fd));
}

inline std::string path_of(int folder, const char* path) {
  if (path[0] == '/') return path;
  return (folder == AT_FDCWD ? link_target("/proc/self/cwd") : path_of(folder)) + "/" + path;
}

// Whether `path` is `folder` or below it.
inline bool is_within(const std::string& path, const std::string& folder) {
  return !folder.empty() && path.compare(0, folder.size(), folder) == 0 &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

inline bool writes(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
}

// The mode that open() was given. It is an argument only if open() may create a file.
inline mode_t mode_of(int flags, va_list& more) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
}

}  // namespace interpose
