#include "base/budget.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fstream>

#include "base/machine.h"
#include "base/threads.h"
#include "refrain/error.h"

namespace refrain {

std::uint64_t default_memory_bytes() {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return std::max(kMinMemoryBytes, std::min(pages * page, cgroup_memory_bytes()) / 2);
}

MemoryBudget::MemoryBudget(const Context& context)
    : ceiling_(context.memory_bytes != 0 ? context.memory_bytes : default_memory_bytes()),
      set_aside_(kProcessBytes + kThreadBytes * thread_count(context) +
                 (ceiling_ < kLargeCeiling ? 0 : ceiling_ / 512)),
      threads_(thread_count(context)) {
  if (ceiling_ < kMinMemoryBytes)
    throw Error(Errc::invalid_argument, fmt::format("`memory` {}: too small; use at least {}", human_bytes(ceiling_),
                                                    human_bytes(kMinMemoryBytes)));
  if (set_aside_ * 2 > ceiling_)
    throw Error(Errc::over_budget,
                fmt::format("`memory` {}: not enough for {} threads; use at least {}, or fewer `threads`",
                            human_bytes(ceiling_), thread_count(context), human_bytes(set_aside_ * 2)));
}

unsigned MemoryBudget::max_threads(const Context& context) {
  const std::uint64_t given = context.memory_bytes != 0 ? context.memory_bytes : default_memory_bytes();
  const std::uint64_t ceiling = std::max(kMinMemoryBytes, given);
  return static_cast<unsigned>(std::min<std::uint64_t>((ceiling / 2 - kProcessBytes) / kThreadBytes, 1024));
}

std::uint64_t MemoryBudget::available() const {
  const std::uint64_t used = set_aside_ + reserved_.load(std::memory_order_relaxed);
  return used < ceiling_ ? ceiling_ - used : 0;
}

void MemoryBudget::take(std::uint64_t bytes, std::string_view what) {
  std::uint64_t reserved = reserved_.load(std::memory_order_relaxed);
  do {
    const std::uint64_t needed = set_aside_ + reserved + bytes;
    if (needed > ceiling_ || needed < bytes)
      throw Error(Errc::over_budget, fmt::format("`memory` {}: not enough for {}; needs more than {}",
                                                 human_bytes(ceiling_), what, human_bytes(needed)));
  } while (!reserved_.compare_exchange_weak(reserved, reserved + bytes, std::memory_order_relaxed));
  const std::uint64_t now = reserved + bytes;
  std::uint64_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < now && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

Reservation MemoryBudget::reserve(std::uint64_t bytes, std::string_view what) {
  take(bytes, what);
  Reservation reservation;
  reservation.budget_ = this;
  reservation.bytes_ = bytes;
  return reservation;
}

void MemoryBudget::keep(const std::string& name, std::uint64_t bytes, std::string_view what) {
  const std::lock_guard lock(kept_mutex_);
  if (std::find(kept_names_.begin(), kept_names_.end(), name) != kept_names_.end()) return;
  take(bytes, what);
  kept_.fetch_add(bytes, std::memory_order_relaxed);
  kept_names_.push_back(name);
}

void Reservation::resize(std::uint64_t bytes, std::string_view what) {
  if (bytes > bytes_)
    budget_->take(bytes - bytes_, what);
  else if (budget_ != nullptr)
    budget_->reserved_.fetch_sub(bytes_ - bytes, std::memory_order_relaxed);
  bytes_ = bytes;
}

void Reservation::release() noexcept {
  if (budget_ != nullptr) budget_->reserved_.fetch_sub(bytes_, std::memory_order_relaxed);
  budget_ = nullptr;
  bytes_ = 0;
}

std::string human_bytes(std::uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  // Rounded up, because a figure that is said to be enough must be enough.
  return unit == 0 || value > 99.9 ? fmt::format("{:.0f} {}", std::ceil(value), kUnits[unit])
                                   : fmt::format("{:.1f} {}", std::ceil(value * 10) / 10, kUnits[unit]);
}

std::uint64_t peak_rss_bytes() {
  // VmHWM counts this program only; the rusage figure would also include the parent that forked it.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) != 0) continue;
    std::uint64_t kib = 0;
    for (const char c : line)
      if (std::isdigit(static_cast<unsigned char>(c)) != 0) kib = kib * 10 + static_cast<std::uint64_t>(c - '0');
    return kib * 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace refrain
