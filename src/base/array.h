// An array of plain values whose memory is reserved from the budget and starts as zeros.
//
// A large one comes straight from the system and goes straight back: growing moves pages, not bytes (mremap), so the old
// and the new never exist side by side, and only pages that were written are resident. A small one comes from the heap:
// a query makes dozens of them, and threads that map and unmap wait for one another.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
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
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

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
  ~Array() { release(data_, capacity_); }

  // As much memory as that takes, to the page. A small array keeps what it has; of size 0 it has none.
  void resize(std::size_t size) {
    const bool gives_back = is_mapped(capacity_) || size == 0;
    if (size > capacity_ || (gives_back && rounded(size) < capacity_)) move_to(rounded(size));
    size_ = size;
  }
  void clear() { size_ = 0; }
  // Room for `more` elements past the end without moving; where it has to grow, a small array doubles and a large one
  // grows by a quarter.
  void reserve_more(std::size_t more) {
    if (size_ + more <= capacity_) return;
    const std::size_t grown = is_mapped(capacity_) ? capacity_ + capacity_ / 4 : std::max(2 * capacity_, kFewest);
    move_to(rounded(std::max(size_ + more, grown)));
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
    if (is_mapped(capacity_)) madvise(data_, capacity_ * sizeof(T), MADV_HUGEPAGE);
  }
  // Gives the memory of whole pages among `count` elements from `first` on back to the system and to the budget, for
  // good: they may not be used again. Returns the bytes. Not for arrays that grow.
  std::size_t give_back(std::size_t first, std::size_t count) {
    if (!is_mapped(capacity_)) return 0;
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
  static constexpr std::size_t kFewest = (64 + sizeof(T) - 1) / sizeof(T);

  // Up to a page is small.
  static bool is_mapped(std::size_t capacity) { return capacity * sizeof(T) > kPageBytes; }
  // Room for `size` elements, in whole pages where that is mapped.
  static std::size_t rounded(std::size_t size) {
    if (!is_mapped(size)) return size;
    return (size * sizeof(T) + kPageBytes - 1) / kPageBytes * kPageBytes / sizeof(T);
  }

  // Zeros; nullptr where there is no memory.
  static void* allocate(std::size_t capacity) {
    if (!is_mapped(capacity)) return std::calloc(capacity, sizeof(T));
    void* mapped = mmap(nullptr, capacity * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mapped == MAP_FAILED ? nullptr : mapped;
  }
  static void release(void* data, std::size_t capacity) {
    if (is_mapped(capacity)) {
      munmap(data, capacity * sizeof(T));
    } else {
      std::free(data);
    }
  }

  // The values in a new place of `capacity` elements; nullptr, and all as it was, where there is no memory.
  void* moved(std::size_t capacity) {
#ifndef __SANITIZE_THREAD__  // which does not see what mremap does, and takes reused addresses for races
    if (is_mapped(capacity_) && is_mapped(capacity)) {
      void* to = mremap(data_, capacity_ * sizeof(T), capacity * sizeof(T), MREMAP_MAYMOVE);
      return to == MAP_FAILED ? nullptr : to;
    }
#endif
    void* to = allocate(capacity);
    if (to == nullptr) return nullptr;
    if (data_ != nullptr) std::memcpy(to, data_, std::min(capacity_, capacity) * sizeof(T));
    release(data_, capacity_);
    return to;
  }

  void move_to(std::size_t capacity) {
    reservation_.resize(capacity * sizeof(T), what_);
    void* to = nullptr;
    if (capacity == 0) {
      release(data_, capacity_);
    } else if (to = moved(capacity); to == nullptr) {
      reservation_.resize(capacity_ * sizeof(T), what_);
      throw std::bad_alloc();
    }
    data_ = static_cast<T*>(to);
    capacity_ = capacity;
  }

  Reservation reservation_;
  std::string what_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace refrain
