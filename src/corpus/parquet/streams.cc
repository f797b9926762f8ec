#include "corpus/parquet/streams.h"

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <algorithm>
#include <string_view>

#include "refrain/error.h"

namespace refrain::corpus {

arrow::Status Source::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

arrow::Status Source::Seek(int64_t position) {
  at_ = position;
  return arrow::Status::OK();
}

arrow::Result<int64_t> Source::ReadAt(int64_t position, int64_t nbytes, void* out) {
  if (position < 0 || nbytes < 0) return arrow::Status::Invalid("offset outside the file");
  try {
    return static_cast<int64_t>(file_->read_up_to(static_cast<std::uint64_t>(position),
                                                  {static_cast<char*>(out), static_cast<std::size_t>(nbytes)}));
  } catch (const Error& error) {
    failure_ = std::current_exception();
    return arrow::Status::IOError(error.what());
  }
}

arrow::Result<std::shared_ptr<arrow::Buffer>> Source::ReadAt(int64_t position, int64_t nbytes) {
  // A damaged file may request more bytes than it has.
  const auto size = static_cast<int64_t>(file_->size());
  if (position < 0 || position > size || nbytes < 0) return arrow::Status::Invalid("offset outside the file");
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

arrow::Future<std::shared_ptr<arrow::Buffer>> Source::ReadAsync(const arrow::io::IOContext& /*context*/,
                                                                int64_t position, int64_t nbytes) {
  return arrow::Future<std::shared_ptr<arrow::Buffer>>::MakeFinished(ReadAt(position, nbytes));
}

arrow::Future<std::shared_ptr<arrow::Buffer>> Source::ReadAsync(const arrow::io::IOContext& context, int64_t position,
                                                                int64_t nbytes, bool may_be_short) {
  if (!may_be_short && position + nbytes > static_cast<int64_t>(file_->size()))
    return arrow::Future<std::shared_ptr<arrow::Buffer>>::MakeFinished(arrow::Status::IOError("it is truncated"));
  return ReadAsync(context, position, nbytes);
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
  if (failure_) return arrow::Status::IOError("an earlier write failed");
  try {
    file_.write(std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(nbytes)));
    return arrow::Status::OK();
  } catch (const Error& error) {
    failure_ = std::current_exception();
    return arrow::Status::IOError(error.what());
  }
}

}  // namespace refrain::corpus
