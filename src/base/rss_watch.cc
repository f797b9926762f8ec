#include "base/rss_watch.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>

namespace refrain {

namespace {

constexpr std::chrono::milliseconds kSampleInterval{20};

}  // namespace

std::uint64_t rss_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;  // in pages
  if (!(file >> size >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

RssWatch::RssWatch()
    : thread_([this](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
          look();
          never.wait_for(lock, stop, kSampleInterval, [] { return false; });
        }
      }) {}

void RssWatch::look() {
  const std::uint64_t now = rss_bytes();
  for (std::uint64_t most = most_.load(); most < now && !most_.compare_exchange_weak(most, now);) {
  }
}

std::uint64_t RssWatch::take() {
  look();
  return most_.exchange(0);
}

}  // namespace refrain
