// A fixed number of threads that run work from a queue of limited length.
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
  WorkQueue(unsigned threads, std::size_t max_queued);
  // Drops work that has not started, and waits for work that has.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Returns false if the queue is full. `work` must not throw.
  bool submit(std::function<void()> work);

 private:
  void run();

  const std::size_t most_;  // the most items that run or wait
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> queue_;
  std::size_t busy_ = 0;  // threads that are running work
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace refrain::server
