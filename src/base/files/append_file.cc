#include "base/files/append_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/files/file.h"
#include "base/files/uninterrupted.h"
#include "refrain/error.h"

namespace refrain {

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
