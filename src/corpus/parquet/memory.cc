#include "corpus/parquet/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
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

}  // namespace refrain::corpus
