// Checks and measures the named inputs before any of them is read.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/threads.h"
#include "corpus/files/walk.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

// Sets errno if it returns false.
bool opens_as_folder(const std::string& path) {
  const int fd = retry_on_eintr([&] { return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (fd >= 0) close(fd);
  return fd >= 0;
}

}  // namespace

void check_named(const SourceOptions& options) {
  if (options.documents && options.paths.empty()) return;
  if (options.documents)
    throw Error(Errc::invalid_argument,
                fmt::format("{}: named beside documents in memory; give one of them", options.paths.front()));
  if (options.paths.empty())
    throw Error(Errc::invalid_argument, "no input; name a file or a folder, or - for standard input");
  if (std::count(options.paths.begin(), options.paths.end(), "-") > 1)
    throw Error(Errc::invalid_argument, "-: named twice; standard input can be read only once");
  const std::vector<std::string>& known = options.known_unreadable;
  for (const std::string& path : options.paths) {
    if (path == "-" || std::binary_search(known.begin(), known.end(), path)) continue;
    try {
      struct stat info {};
      bool readable = retry_on_eintr([&] { return stat(path.c_str(), &info); }) == 0;
      if (readable && S_ISREG(info.st_mode))
        InputFile{path};
      else if (readable)
        readable = S_ISDIR(info.st_mode) ? opens_as_folder(path) : access(path.c_str(), R_OK) == 0;
      if (!readable) throw_read_error(path, "open", errno);
    } catch (const Error& error) {
      if (error.code() == Errc::io && options.skip_unreadable) continue;  // reported when it is read
      throw Error(error.code(), fmt::format("{}; check the path and its permissions{}", error.what(),
                                            error.code() == Errc::io ? ", or skip it with `skip_unreadable`" : ""));
    }
  }
}

std::uint64_t total_bytes(const SourceOptions& options, const Context& context, MemoryBudget& budget) {
  for (const std::string& path : options.paths) {
    struct stat info {};
    if (path == "-" || stat(path.c_str(), &info) != 0 || (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))) return 0;
  }
  std::uint64_t total = 0;
  Walk walk(options, budget);
  for (Input input; walk.next(input);) {
    throw_if_stopped(context);
    total += input.size;
  }
  return total;
}

}  // namespace refrain::corpus
