// How Arrow uses this program: its memory comes from the budget, its files are read and written here, and its
// exceptions become Errors.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/util/future.h>
#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/budget.h"
#include "base/files/file.h"
#include "corpus/files/parquet_module.h"
#include "refrain/error.h"

namespace refrain::corpus {

// A memory pool for Arrow's buffers that draws from the memory budget.
//
// Allocations beyond the budget are refused. Arrow replaces the exception by its own error, so the original Error is
// kept here. Used by one thread at a time.
class BudgetPool final : public arrow::MemoryPool {
 public:
  // `what` names the purpose of the memory, for error messages.
  BudgetPool(MemoryBudget& budget, std::string what);

  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** ptr) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;

  int64_t bytes_allocated() const override { return stats_.bytes_allocated(); }
  int64_t max_memory() const override { return stats_.max_memory(); }
  int64_t total_bytes_allocated() const override { return stats_.total_bytes_allocated(); }
  int64_t num_allocations() const override { return stats_.num_allocations(); }
  std::string backend_name() const override { return "budget"; }

  // Throws the Error(over_budget) of a refused allocation, if there was one.
  void rethrow_refusal() const {
    if (refusal_) std::rethrow_exception(refusal_);
  }

 private:
  arrow::Status reserve(int64_t size);

  Reservation reservation_;
  const std::string what_;
  std::exception_ptr refusal_;
  arrow::internal::MemoryPoolStats stats_;
};

// Converts Arrow's exceptions to Errors.
//
// Calls `action`. If it fails, each function of `kept` may throw the Error that it holds; otherwise the file is
// damaged.
template <class Action, class... Kept>
auto guarded_as(std::string_view format, const std::string& path, Action action, const Kept&... kept) {
  const auto damaged = [&](const std::exception& error) {
    std::string_view reason = error.what();
    reason = reason.substr(0, reason.find('\n'));
    return Error(Errc::bad_input, fmt::format("{}: cannot read as {}: {}; create it again", path, format, reason));
  };
  try {
    return action();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    (kept(), ...);
    throw damaged(error);
  }
}

template <class Action, class... Kept>
auto guarded(const std::string& path, Action action, const Kept&... kept) {
  return guarded_as("Parquet", path, action, kept...);
}

// Adapts Refrain's files to Arrow's interfaces.

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

// An output file, or a function that receives its bytes. Their exceptions are kept, because Arrow replaces them by its
// own errors.
class Sink final : public arrow::io::OutputStream {
 public:
  explicit Sink(const std::string& path);
  explicit Sink(ByteWriter write) : write_(std::move(write)) {}

  arrow::Status Close() override;
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return static_cast<int64_t>(bytes_); }
  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, int64_t nbytes) override;

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::optional<OutputFile> file_;
  ByteWriter write_;
  std::uint64_t bytes_ = 0;
  bool closed_ = false;
  std::exception_ptr failure_;
};

}  // namespace refrain::corpus
