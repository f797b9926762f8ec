// An array of plain values whose memory is reserved from the budget. Memory that it has not used before is zero.
//
// A large array is mapped straight from the system and unmapped directly: growing moves pages, not bytes (mremap), so
// the old and the new memory never exist at the same time, and only pages that were written are resident. An array of
// less than a page comes from the heap: a query makes dozens of them, and threads that map and unmap wait for one
// another.
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
  // `what` names the array in the error message if the budget is too small.
  Array(MemoryBudget& budget, std::string what) : reservation_(budget.reserve(0, what)), what_(std::move(what)) {}
  Array(MemoryBudget& budget, std::string what, std::size_t size) : Array(budget, std::move(what)) { resize(size); }
  Array(Array&& other) noexcept
      : reservation_(std::move(other.reservation_)),
        what_(std::move(other.what_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)),
        mapped_(std::exchange(other.mapped_, false)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(reservation_, other.reservation_);
    std::swap(what_, other.what_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(mapped_, other.mapped_);
    return *this;
  }
  ~Array() { release(); }

  // Sets the size, and takes or gives back memory: whole pages if the array is mapped. A small array gives memory
  // back only when its size becomes 0.
  void resize(std::size_t size) {
    const bool gives_back = rounded(size) < capacity_ && (mapped_ || size == 0);
    if (size > capacity_ || gives_back) move_to(rounded(size));
    size_ = size;
  }
  void clear() { size_ = 0; }
  // Makes room for `more` elements past the end without moving again. If the array has to grow, a small one doubles,
  // up to a page, and a large one grows by a quarter.
  void reserve_more(std::size_t more) {
    const std::size_t needed = size_ + more;
    if (needed <= capacity_) return;
    const std::size_t grown =
        mapped_ ? capacity_ + capacity_ / 4 : std::min(std::max(2 * capacity_, kMinCapacity), kMaxHeapElements);
    move_to(rounded(std::max(needed, grown)));
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

  // Whether appending `more` elements makes the array grow, which may move it.
  bool needs_to_grow(std::size_t more) const { return size_ + more > capacity_; }
  // Appends `more` elements, which the caller has to set.
  void append_unset(std::size_t more) {
    reserve_more(more);
    size_ += more;
  }

  // Requests fewer, larger pages where the system has them; for arrays that are read at random places. Call it after
  // resize().
  void use_huge_pages() {
    if (mapped_) madvise(data_, capacity_ * sizeof(T), MADV_HUGEPAGE);
  }
  // Gives the memory of the whole pages among `count` elements from `first` on back to the system and to the budget.
  // These elements must not be used again. Returns the number of bytes. Not for arrays that grow.
  std::size_t give_back(std::size_t first, std::size_t count) {
    if (!mapped_) return 0;
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
  static constexpr std::size_t kMaxHeapElements = (kPageBytes - 1) / sizeof(T);
  static constexpr std::size_t kMinCapacity = std::min((64 + sizeof(T) - 1) / sizeof(T), kMaxHeapElements);

  // The capacity for `size` elements: exactly `size` if they are few, else rounded up to whole pages. A mapped array
  // stays mapped.
  std::size_t rounded(std::size_t size) const {
    if (size == 0 || (size <= kMaxHeapElements && !mapped_)) return size;
    return (size * sizeof(T) + kPageBytes - 1) / kPageBytes * kPageBytes / sizeof(T);
  }

  void release() {
    if (mapped_) {
      munmap(data_, capacity_ * sizeof(T));
    } else {
      std::free(data_);
    }
  }

  // Moves the values to memory for `capacity` elements and returns that. If there is no memory, returns nullptr and
  // changes nothing.
  void* moved(std::size_t capacity, bool mapped) {
    const std::size_t bytes = capacity * sizeof(T);
#ifndef __SANITIZE_THREAD__  // TSan does not track mremap, and takes reused addresses for races.
    if (mapped_ && mapped) {
      void* to = mremap(data_, capacity_ * sizeof(T), bytes, MREMAP_MAYMOVE);
      return to == MAP_FAILED ? nullptr : to;
    }
#endif
    void* to = nullptr;
    if (mapped) {
      to = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (to == MAP_FAILED) return nullptr;
    } else {
      to = std::calloc(capacity, sizeof(T));
      if (to == nullptr) return nullptr;
    }
    if (data_ != nullptr) std::memcpy(to, data_, std::min(capacity_ * sizeof(T), bytes));
    release();
    return to;
  }

  void move_to(std::size_t capacity) {
    const bool mapped = capacity > 0 && (mapped_ || capacity > kMaxHeapElements);
    reservation_.resize(capacity * sizeof(T), what_);
    void* to = nullptr;
    if (capacity == 0) {
      release();
    } else if (to = moved(capacity, mapped); to == nullptr) {
      reservation_.resize(capacity_ * sizeof(T), what_);
      throw std::bad_alloc();
    }
    data_ = static_cast<T*>(to);
    capacity_ = capacity;
    mapped_ = mapped;
  }

  Reservation reservation_;
  std::string what_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  bool mapped_ = false;  // not on the heap
};

}  // namespace refrain
