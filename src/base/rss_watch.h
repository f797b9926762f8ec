// The largest resident memory of the process over some time. A thread samples it every few milliseconds; peaks
// between two samples are missed.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace refrain {

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
