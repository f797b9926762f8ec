// A large array of plain values whose memory is reserved from the budget, comes straight from the system and goes
// straight back.
//
// Growing moves pages, not bytes (mremap), so the old and the new never exist side by side; only pages that were
// written are resident. Fresh pages are zero.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "base/budget.h"

namespace refrain {

// Not thread-safe while it grows.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // `what` names the array in the message that a too small budget gives.
  Array(MemoryBudget& budget, std::string what) : reservation_(budget.reserve(0, what)), what_(std::move(what)) {}
  Array(MemoryBudget& budget, std::string what, std::size_t size) : Array(budget, std::move(what)) { resize(size); }
  Array(Array&& other) noexcept
      : reservation_(std::move(other.reservation_)),
        what_(std::move(other.what_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(reservation_, other.reservation_);
    std::swap(what_, other.what_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Array() {
    if (data_ != nullptr) munmap(data_, capacity_ * sizeof(T));
  }

  // Exactly as much memory as that takes.
  void resize(std::size_t size) {
    if (size > capacity_ || pages(size) < capacity_) remap(pages(size));
    size_ = size;
  }
  void clear() { size_ = 0; }
  // Room for `more` elements past the end without remapping; grows by a quarter where it has to grow.
  void reserve_more(std::size_t more) {
    if (size_ + more > capacity_) remap(pages(std::max(size_ + more, capacity_ + capacity_ / 4)));
  }
  void push_back(const T& value) {
    reserve_more(1);
    data_[size_++] = value;
  }
  void append(std::span<const T> values) {
    if (values.empty()) return;
    reserve_more(values.size());
    std::copy(values.begin(), values.end(), data_ + size_);
    size_ += values.size();
  }

  // Whether `more` elements past the end make it grow, which may move it.
  bool needs_to_grow(std::size_t more) const { return size_ + more > capacity_; }
  // `more` elements past the end, to be set.
  void append_unset(std::size_t more) {
    reserve_more(more);
    size_ += more;
  }

  // For arrays that are read here and there: fewer, larger pages where the system has them. After resize().
  void use_huge_pages() {
    if (data_ != nullptr) madvise(data_, capacity_ * sizeof(T), MADV_HUGEPAGE);
  }
  // Gives the memory of whole pages among `count` elements from `first` on back to the system and to the budget, for
  // good: they may not be used again. Returns the bytes. Not for arrays that grow.
  std::size_t give_back(std::size_t first, std::size_t count) {
    constexpr std::size_t kSystemPage = 4096;
    const std::size_t begin = (first * sizeof(T) + kSystemPage - 1) / kSystemPage * kSystemPage;
    const std::size_t end = (first + count) * sizeof(T) / kSystemPage * kSystemPage;
    if (begin >= end || madvise(reinterpret_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED) != 0) return 0;
    reservation_.resize(reservation_.bytes() - (end - begin), what_);
    return end - begin;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  static constexpr std::size_t kPageBytes = std::size_t{64} << 10;

  // `size` rounded up to whole pages.
  static std::size_t pages(std::size_t size) {
    return (size * sizeof(T) + kPageBytes - 1) / kPageBytes * kPageBytes / sizeof(T);
  }

  static void* move_pages(void* from, std::size_t old_bytes, std::size_t new_bytes) {
#ifdef __SANITIZE_THREAD__
    // The sanitizer does not see what mremap does, and takes reused addresses for races.
    void* to = mmap(nullptr, new_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (to == MAP_FAILED) return to;
    std::memcpy(to, from, std::min(old_bytes, new_bytes));
    munmap(from, old_bytes);
    return to;
#else
    return mremap(from, old_bytes, new_bytes, MREMAP_MAYMOVE);
#endif
  }

  void remap(std::size_t capacity) {
    reservation_.resize(capacity * sizeof(T), what_);
    void* moved = nullptr;
    if (capacity == 0) {
      if (data_ != nullptr) munmap(data_, capacity_ * sizeof(T));
    } else if (data_ == nullptr) {
      moved = mmap(nullptr, capacity * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    } else {
      moved = move_pages(data_, capacity_ * sizeof(T), capacity * sizeof(T));
    }
    if (moved == MAP_FAILED) {
      reservation_.resize(capacity_ * sizeof(T), what_);
      throw std::bad_alloc();
    }
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }

  Reservation reservation_;
  std::string what_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace refrain
