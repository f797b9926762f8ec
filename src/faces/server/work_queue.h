// A few threads, and a line of limited length in front of them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace refrain::server {

class WorkQueue {
 public:
  WorkQueue(unsigned threads, std::size_t most_queued);
  // Waits for what has begun; what has not is forgotten.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // False where the line is full. `work` does not throw.
  bool submit(std::function<void()> work);

 private:
  void run();

  const std::size_t most_;  // that are worked on or wait
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> line_;
  std::size_t busy_ = 0;  // threads
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace refrain::server
