// The most memory that the process holds resident over a while. A thread looks every few milliseconds; what was held
// between two looks is not known.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace refrain {

class RssWatch {
 public:
  RssWatch();

  // The most since this was last asked, or since the beginning.
  std::uint64_t take();
  // The same, as far as the thread has looked, and it stays the most.
  std::uint64_t most() const { return most_.load(); }

 private:
  void look();

  std::atomic<std::uint64_t> most_{0};
  std::jthread thread_;  // the last member: it uses the others
};

// What the process holds now; 0 where that cannot be told.
std::uint64_t rss_bytes();

}  // namespace refrain
