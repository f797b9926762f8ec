#include "base/files/random_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files/file.h"
#include "base/files/uninterrupted.h"
#include "refrain/error.h"

namespace refrain {

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

}  // namespace refrain
