#include "base/progress.h"

#include <utility>

#include "base/threads.h"

namespace refrain {

namespace {
constexpr auto kInterval = std::chrono::milliseconds(200);
}

Progress::Progress(const Context& context, std::string stage, std::string unit, std::uint64_t total)
    : context_(context),
      stage_(std::move(stage)),
      unit_(std::move(unit)),
      total_(total),
      next_report_(std::chrono::steady_clock::now() + kInterval) {}

void Progress::add(std::uint64_t amount) {
  throw_if_stopped(context_);
  done_.fetch_add(amount, std::memory_order_relaxed);
  if (!context_.progress) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_report_) return;
  next_report_ = now + kInterval;
  report();
}

void Progress::finish() {
  if (!context_.progress) return;
  const std::lock_guard lock(mutex_);
  report();
}

void Progress::report() {
  context_.progress({.stage = stage_, .unit = unit_, .done = done_.load(std::memory_order_relaxed), .total = total_});
}

}  // namespace refrain
