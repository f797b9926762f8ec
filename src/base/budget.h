// The memory budget: limits how much memory each part may hold, so that the process stays below its ceiling.
//
// Nothing here is measured: large memory is *reserved* before it is taken, and a reservation that does not fit throws
// Error(over_budget), which says how much would be enough. The ceiling covers the whole process, so a fixed share
// (kProcessBytes, and kThreadBytes per thread) is set aside for code, stacks, the allocator and the small objects
// that are not reserved.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "refrain/context.h"

namespace refrain {

class MemoryBudget;

// A reserved part of a budget. It is given back when it goes out of scope.
class Reservation {
 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Reservation& operator=(Reservation&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Reservation() { release(); }

  // Grows or shrinks to `bytes`. If that does not fit, throws and does not change.
  void resize(std::uint64_t bytes, std::string_view what);
  void release() noexcept;
  std::uint64_t bytes() const { return bytes_; }

 private:
  friend class MemoryBudget;
  MemoryBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

class MemoryBudget {
 public:
  static constexpr std::uint64_t kProcessBytes = std::uint64_t{14} << 20;
  static constexpr std::uint64_t kThreadBytes = std::uint64_t{1} << 20;
  // From this ceiling on, another 1/512 is set aside for freed memory that the program's allocator may keep.
  static constexpr std::uint64_t kLargeCeiling = std::uint64_t{1} << 30;

  // The budget of a run with this context, with its defaults resolved. Throws if the ceiling is below
  // kMinMemoryBytes.
  explicit MemoryBudget(const Context& context);

  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // The number of threads that the ceiling has room for.
  static unsigned max_threads(const Context& context);

  // `what` names the reserved object in the error message: "the fingerprints of 9 M documents".
  Reservation reserve(std::uint64_t bytes, std::string_view what);

  // Reserves for as long as the budget lives, once per `name` however often it is called: for a library that is
  // loaded when it is first needed, and stays loaded.
  void keep(const std::string& name, std::uint64_t bytes, std::string_view what);
  // The bytes that keep() has reserved.
  std::uint64_t kept() const { return kept_.load(std::memory_order_relaxed); }

  std::uint64_t ceiling() const { return ceiling_; }
  // The bytes that cannot be reserved: for code, stacks and the allocator.
  std::uint64_t set_aside() const { return set_aside_; }
  // The number of threads of the run.
  unsigned threads() const { return threads_; }
  // The bytes that could be reserved now. Other threads may reserve them first.
  std::uint64_t available() const;
  // The most bytes that were reserved at one time, since the beginning or since reset_peak().
  std::uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  std::uint64_t reserved() const { return reserved_.load(std::memory_order_relaxed); }
  void reset_peak() { peak_.store(reserved(), std::memory_order_relaxed); }

 private:
  friend class Reservation;
  void take(std::uint64_t bytes, std::string_view what);

  std::uint64_t ceiling_;
  std::uint64_t set_aside_;
  unsigned threads_;
  std::atomic<std::uint64_t> reserved_{0};
  std::atomic<std::uint64_t> peak_{0};
  std::atomic<std::uint64_t> kept_{0};
  std::mutex kept_mutex_;
  std::vector<std::string> kept_names_;  // guarded by kept_mutex_
};

// "1.5 GiB", "640 MiB", "12 KiB", "7 bytes"; rounded up.
std::string human_bytes(std::uint64_t bytes);

// The largest resident memory of this process so far.
std::uint64_t peak_rss_bytes();

}  // namespace refrain
