#include "parquet/streams.h"

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "refrain/error.h"

namespace refrain {

PlacedFile::PlacedFile(const std::string& path) : path_(path), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0)
    throw Error(Errc::not_found,
                fmt::format("{}: cannot open: {}; check the path and its permissions", path, system_reason(errno)));
  struct stat info {};
  if (fstat(fd_, &info) == 0 && S_ISREG(info.st_mode)) size_ = static_cast<std::uint64_t>(info.st_size);
}

PlacedFile::~PlacedFile() {
  close(fd_);
}

std::size_t PlacedFile::read(std::uint64_t at, void* out, std::size_t size) const {
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = pread(fd_, static_cast<char*>(out) + have, size - have, static_cast<off_t>(at + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(Errc::not_found, fmt::format("{}: cannot read: {}", path_, system_reason(errno)));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return have;
}

arrow::Status Source::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

arrow::Status Source::Seek(int64_t position) {
  at_ = position;
  return arrow::Status::OK();
}

arrow::Result<int64_t> Source::ReadAt(int64_t position, int64_t nbytes, void* out) {
  if (position < 0 || nbytes < 0) return arrow::Status::Invalid("a place outside the file");
  try {
    return static_cast<int64_t>(
        file_->read(static_cast<std::uint64_t>(position), out, static_cast<std::size_t>(nbytes)));
  } catch (const Error& error) {
    failure_ = std::current_exception();
    return arrow::Status::IOError(error.what());
  }
}

arrow::Result<std::shared_ptr<arrow::Buffer>> Source::ReadAt(int64_t position, int64_t nbytes) {
  // A damaged file may ask for more than there is.
  const auto size = static_cast<int64_t>(file_->size());
  if (position < 0 || position > size || nbytes < 0) return arrow::Status::Invalid("a place outside the file");
  nbytes = std::min(nbytes, size - position);
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(nbytes, pool_));
  ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position, nbytes, buffer->mutable_data()));
  if (got < nbytes) ARROW_RETURN_NOT_OK(buffer->Resize(got));
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

arrow::Result<int64_t> Source::Read(int64_t nbytes, void* out) {
  ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(at_, nbytes, out));
  at_ += got;
  return got;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> Source::Read(int64_t nbytes) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(at_, nbytes));
  at_ += buffer->size();
  return buffer;
}

arrow::Status Sink::Close() {
  if (closed_) return arrow::Status::OK();
  closed_ = true;
  try {
    file_.flush();
    file_.close_unsynced();
    return arrow::Status::OK();
  } catch (const Error& error) {
    failure_ = std::current_exception();
    return arrow::Status::IOError(error.what());
  }
}

arrow::Status Sink::Write(const void* data, int64_t nbytes) {
  if (failure_) return arrow::Status::IOError("an earlier write has failed");
  try {
    file_.write(std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(nbytes)));
    return arrow::Status::OK();
  } catch (const Error& error) {
    failure_ = std::current_exception();
    return arrow::Status::IOError(error.what());
  }
}

}  // namespace refrain
