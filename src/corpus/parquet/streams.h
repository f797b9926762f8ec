// Adapts Refrain's files to Arrow's interfaces.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/util/future.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "base/files/file.h"
#include "base/files/random_file.h"

namespace refrain::corpus {

// An input file, whose buffers come from `pool`.
class Source final : public arrow::io::RandomAccessFile {
 public:
  Source(std::shared_ptr<const RandomFile> file, arrow::MemoryPool* pool) : file_(std::move(file)), pool_(pool) {}

  arrow::Status Close() override;
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return at_; }
  arrow::Status Seek(int64_t position) override;
  arrow::Result<int64_t> GetSize() override { return static_cast<int64_t>(file_->size()); }
  arrow::Result<int64_t> Read(int64_t nbytes, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t nbytes) override;
  using arrow::io::RandomAccessFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t nbytes, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t nbytes) override;

  // Reads synchronously, so that no thread of Arrow uses the pool or outlives it.
  using arrow::io::RandomAccessFile::ReadAsync;
  arrow::Future<std::shared_ptr<arrow::Buffer>> ReadAsync(const arrow::io::IOContext& context, int64_t position,
                                                          int64_t nbytes) override;
  // Newer versions of Arrow call this overload; in older ones it overrides nothing.
  arrow::Future<std::shared_ptr<arrow::Buffer>> ReadAsync(const arrow::io::IOContext& context,  // NOLINT
                                                          int64_t position, int64_t nbytes, bool may_be_short);

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::shared_ptr<const RandomFile> file_;
  arrow::MemoryPool* pool_;
  int64_t at_ = 0;
  bool closed_ = false;
  std::exception_ptr failure_;
};

// An output file. Exceptions of OutputFile are kept, because Arrow replaces them by its own errors.
class Sink final : public arrow::io::OutputStream {
 public:
  explicit Sink(const std::string& path) : file_(path) {}

  arrow::Status Close() override;
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return static_cast<int64_t>(file_.bytes()); }
  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, int64_t nbytes) override;

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  std::uint64_t bytes() const { return file_.bytes(); }

 private:
  OutputFile file_;
  bool closed_ = false;
  std::exception_ptr failure_;
};

}  // namespace refrain::corpus
