// Tells how many cores and how much memory the machine grants this process, and how much memory it uses.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace refrain {

// The limits that control groups of either version set for this process. All groups count, from its own up to the
// root: a container with two CPUs on a machine with 64 has two.

// The memory limit; UINT64_MAX if there is none. `root` is prepended to the paths of /proc and /sys, for tests.
std::uint64_t cgroup_memory_bytes(const std::string& root = "");
// The number of CPUs, rounded up; UINT64_MAX if there is no limit.
std::uint64_t cgroup_cpus(const std::string& root = "");

// The largest resident memory of the process over some time. A thread samples it every few milliseconds; peaks
// between two samples are missed.
class RssWatch {
 public:
  RssWatch();

  // Returns the maximum since this was last called, or since the beginning, and starts again.
  std::uint64_t take();
  // The maximum so far, as sampled by the thread; does not start again.
  std::uint64_t most() const { return most_.load(); }

 private:
  void look();

  std::atomic<std::uint64_t> most_{0};
  std::jthread thread_;  // the last member: it uses the others
};

// The resident memory of the process now; 0 if it cannot be determined.
std::uint64_t rss_bytes();

}  // namespace refrain
