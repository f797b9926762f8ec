#include "base/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/budget.h"
#include "base/machine.h"
#include "refrain/error.h"

namespace refrain {

unsigned thread_count(const Context& context) {
  if (context.threads != 0) return context.threads;
  cpu_set_t allowed;
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const unsigned cores = known ? static_cast<unsigned>(CPU_COUNT(&allowed)) : std::thread::hardware_concurrency();
  static const std::uint64_t kGranted = cgroup_cpus();  // cached: it is needed often, and reads files
  const auto granted = static_cast<unsigned>(std::min<std::uint64_t>(cores, kGranted));
  return std::clamp(granted, 1U, MemoryBudget::max_threads(context));
}

void throw_if_stopped(const Context& context) {
  if (context.stop.stop_requested()) throw Error(Errc::interrupted, "interrupted");
}

void run_workers(unsigned threads, const std::function<void(unsigned)>& job) {
  std::mutex mutex;
  std::exception_ptr first;
  const auto guarded = [&](unsigned worker) {
    try {
      job(worker);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned worker = 1; worker < threads; ++worker) others.emplace_back(guarded, worker);
    guarded(0);
  }
  if (first) std::rethrow_exception(first);
}

void parallel_for(unsigned threads, std::size_t items, const std::function<void(unsigned, std::size_t)>& job) {
  std::atomic<std::size_t> next{0};
  const auto useful = static_cast<unsigned>(std::min<std::size_t>(threads, std::max<std::size_t>(items, 1)));
  run_workers(useful, [&](unsigned worker) {
    try {
      for (std::size_t item = next.fetch_add(1); item < items; item = next.fetch_add(1)) job(worker, item);
    } catch (...) {
      next.store(items);
      throw;
    }
  });
}

}  // namespace refrain
