#include "corpus/parquet/arrow_glue.h"

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "refrain/error.h"

namespace refrain::corpus {

namespace {

// Buffers of at least this size are mapped, so that freed memory returns to the system at once.
constexpr int64_t kMappedBytes = int64_t{256} << 10;
constexpr int64_t kSystemPage = 4096;

int64_t rounded(int64_t size, int64_t to) {
  return (size + to - 1) / to * to;
}

// The memory that an allocation takes after rounding.
int64_t taken(int64_t size) {
  return size >= kMappedBytes ? rounded(size, kSystemPage) : rounded(size, 64);
}

alignas(64) constexpr uint8_t kEmpty[64] = {};

// The address of empty buffers. Nothing is written there.
uint8_t* nothing() {
  return const_cast<uint8_t*>(kEmpty);
}

uint8_t* get(int64_t size, int64_t alignment) {
  if (size == 0) return nothing();
  const auto bytes = static_cast<std::size_t>(taken(size));
  if (size < kMappedBytes) {
    const auto boundary = static_cast<std::size_t>(std::max<int64_t>(alignment, 64));
    return static_cast<uint8_t*>(std::aligned_alloc(boundary, (bytes + boundary - 1) / boundary * boundary));
  }
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<uint8_t*>(mapped);
}

void give_back(uint8_t* buffer, int64_t size) {
  if (buffer == nothing() || buffer == nullptr) return;
  if (size < kMappedBytes)
    std::free(buffer);
  else
    munmap(buffer, static_cast<std::size_t>(taken(size)));
}

}  // namespace

BudgetPool::BudgetPool(MemoryBudget& budget, std::string what)
    : reservation_(budget.reserve(0, what)), what_(std::move(what)) {}

// Changes the reservation by `size`, which may be negative.
arrow::Status BudgetPool::reserve(int64_t size) {
  try {
    reservation_.resize(static_cast<std::uint64_t>(static_cast<int64_t>(reservation_.bytes()) + size), what_);
    return arrow::Status::OK();
  } catch (const Error& error) {
    refusal_ = std::current_exception();
    return arrow::Status::OutOfMemory(error.what());
  }
}

arrow::Status BudgetPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  if (size < 0) return arrow::Status::Invalid("negative buffer size");
  ARROW_RETURN_NOT_OK(reserve(taken(size)));
  *out = get(size, alignment);
  if (*out == nullptr) {
    ARROW_RETURN_NOT_OK(reserve(-taken(size)));
    return arrow::Status::OutOfMemory("the system is out of memory");
  }
  stats_.DidAllocateBytes(size);
  return arrow::Status::OK();
}

arrow::Status BudgetPool::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** ptr) {
  if (new_size < 0) return arrow::Status::Invalid("negative buffer size");
#ifndef __SANITIZE_THREAD__  // the thread sanitizer does not track mremap
  if (old_size >= kMappedBytes && new_size >= kMappedBytes) {
    const int64_t more = taken(new_size) - taken(old_size);
    ARROW_RETURN_NOT_OK(reserve(more));
    void* const moved = mremap(*ptr, static_cast<std::size_t>(taken(old_size)),
                               static_cast<std::size_t>(taken(new_size)), MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) {
      ARROW_RETURN_NOT_OK(reserve(-more));
      return arrow::Status::OutOfMemory("the system is out of memory");
    }
    *ptr = static_cast<uint8_t*>(moved);
    stats_.DidReallocateBytes(old_size, new_size);
    return arrow::Status::OK();
  }
#endif
  uint8_t* moved = nullptr;
  ARROW_RETURN_NOT_OK(Allocate(new_size, alignment, &moved));
  if (old_size > 0 && new_size > 0) std::memcpy(moved, *ptr, static_cast<std::size_t>(std::min(old_size, new_size)));
  Free(*ptr, old_size, alignment);
  *ptr = moved;
  return arrow::Status::OK();
}

void BudgetPool::Free(uint8_t* buffer, int64_t size, int64_t) {
  give_back(buffer, size);
  stats_.DidFreeBytes(size);
  reservation_.resize(reservation_.bytes() - static_cast<std::uint64_t>(taken(size)), what_);
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

Sink::Sink(const std::string& path) : file_(path), write_([this](std::string_view bytes) { file_->write(bytes); }) {}

arrow::Status Sink::Close() {
  if (closed_) return arrow::Status::OK();
  closed_ = true;
  if (!file_) return arrow::Status::OK();
  try {
    file_->flush();
    file_->close_unsynced();
    return arrow::Status::OK();
  } catch (const Error& error) {
    failure_ = std::current_exception();
    return arrow::Status::IOError(error.what());
  }
}

arrow::Status Sink::Write(const void* data, int64_t nbytes) {
  if (failure_) return arrow::Status::IOError("an earlier write failed");
  try {
    write_(std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(nbytes)));
    bytes_ += static_cast<std::uint64_t>(nbytes);
    return arrow::Status::OK();
  } catch (const Error& error) {
    failure_ = std::current_exception();
    return arrow::Status::IOError(error.what());
  }
}

}  // namespace refrain::corpus
