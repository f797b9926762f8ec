#include "faces/server/wire/spool_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "refrain/error.h"

namespace refrain::server {

namespace {

Error file_error(const char* what, int number) {
  const Errc code = number == ENOSPC || number == EDQUOT ? Errc::over_budget : Errc::io;
  return {code, std::string("a temporary file ") + what + ": " + std::strerror(number)};
}

std::string temp_folder(const std::string& folder) {
  if (!folder.empty()) return folder;
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

}  // namespace

SpoolFile::SpoolFile(const std::string& folder) {
  // With O_TMPFILE, which not every file system supports, the file never has a name, so that nothing remains if the
  // process is killed.
  fd_ = ::open(temp_folder(folder).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ >= 0) return;
  std::string path = temp_folder(folder) + "/refrain-serve-XXXXXX";
  fd_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd_ < 0) throw file_error("cannot be created", errno);
  ::unlink(path.c_str());
}

SpoolFile::~SpoolFile() {
  ::close(fd_);
}

void SpoolFile::append(std::string_view bytes) {
  std::uint64_t end = size_;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(end));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw file_error("cannot be written", errno);
    end += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  size_ = end;
}

std::size_t SpoolFile::read(std::uint64_t offset, std::span<char> buffer) const {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t got = ::pread(fd_, buffer.data() + done, buffer.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error("cannot be read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void SpoolFile::clear() {
  if (::ftruncate(fd_, 0) != 0) throw file_error("cannot be emptied", errno);
  size_ = 0;
}

bool SpoolSpace::take(std::uint64_t bytes) {
  if (held_.fetch_add(bytes) + bytes <= most_) return true;
  held_ -= bytes;
  return false;
}

}  // namespace refrain::server
