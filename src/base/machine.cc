#include "base/machine.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <string_view>

namespace refrain {

namespace {

constexpr std::chrono::milliseconds kSampleInterval{20};

// Calls fn(folder, unified) for every group of this process in which `controller` may set a limit.
template <class Fn>
void for_each_group(const std::string& root, std::string_view controller, Fn fn) {
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find("," + std::string(controller) + ",") == std::string::npos) continue;
    std::string mounted = root + "/sys/fs/cgroup";
    if (!unified) mounted.append("/").append(controller);
    std::string group = line.substr(second + 1);
    while (true) {
      fn(mounted + (group == "/" ? "" : group), unified);
      if (group.empty() || group == "/") break;
      group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
  }
}

// The number in a file; UINT64_MAX if there is none, as in a file that says "max".
std::uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : UINT64_MAX;
}

std::uint64_t cpus(std::int64_t quota, std::int64_t period) {
  if (quota <= 0 || period <= 0) return UINT64_MAX;
  return static_cast<std::uint64_t>((quota + period - 1) / period);
}

}  // namespace

std::uint64_t cgroup_memory_bytes(const std::string& root) {
  std::uint64_t least = UINT64_MAX;
  for_each_group(root, "memory", [&](const std::string& folder, bool unified) {
    least = std::min(least, number_in(folder + (unified ? "/memory.max" : "/memory.limit_in_bytes")));
  });
  return least;
}

std::uint64_t cgroup_cpus(const std::string& root) {
  std::uint64_t least = UINT64_MAX;
  for_each_group(root, "cpu", [&](const std::string& folder, bool unified) {
    std::int64_t quota = 0;
    std::int64_t period = 0;
    if (unified) {
      std::ifstream file(folder + "/cpu.max");
      if (!(file >> quota >> period)) return;
    } else {
      std::ifstream quota_file(folder + "/cpu.cfs_quota_us");
      std::ifstream period_file(folder + "/cpu.cfs_period_us");
      if (!(quota_file >> quota) || !(period_file >> period)) return;
    }
    least = std::min(least, cpus(quota, period));
  });
  return least;
}

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
