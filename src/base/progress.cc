#include "base/progress.h"

#include <utility>

#include "base/threads.h"

namespace refrain {

namespace {
constexpr auto kInterval = std::chrono::milliseconds(200);

// The number of this thread, counted from 0.
std::size_t thread_number() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

}  // namespace

Progress::Progress(const Context& context, std::string stage, std::string unit, std::uint64_t total)
    : context_(context),
      stage_(std::move(stage)),
      unit_(std::move(unit)),
      total_(total),
      next_report_(std::chrono::steady_clock::now() + kInterval) {}

void Progress::add(std::uint64_t amount) {
  throw_if_stopped(context_);
  if (!context_.progress) return;
  counts_[thread_number() % counts_.size()].done.fetch_add(amount, std::memory_order_relaxed);
  const auto now = std::chrono::steady_clock::now();
  if (now < next_report_.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || now < next_report_.load(std::memory_order_relaxed)) return;
  next_report_.store(now + kInterval, std::memory_order_relaxed);
  report();
}

void Progress::finish() {
  if (!context_.progress) return;
  const std::lock_guard lock(mutex_);
  report();
}

void Progress::report() {
  std::uint64_t done = 0;
  for (const Count& count : counts_) done += count.done.load(std::memory_order_relaxed);
  context_.progress({.stage = stage_, .unit = unit_, .done = done, .total = total_});
}

}  // namespace refrain
