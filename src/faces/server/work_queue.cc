#include "faces/server/work_queue.h"

#include <utility>

namespace refrain::server {

WorkQueue::WorkQueue(unsigned threads, std::size_t most_queued) : most_(threads + most_queued) {
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

WorkQueue::~WorkQueue() {
  std::deque<std::function<void()>> forgotten;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    forgotten.swap(line_);
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkQueue::submit(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || line_.size() + busy_ >= most_) return false;
    line_.push_back(std::move(work));
  }
  more_.notify_one();
  return true;
}

void WorkQueue::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [&] { return closing_ || !line_.empty(); });
    if (line_.empty()) return;
    ++busy_;
    std::function<void()> work = std::move(line_.front());
    line_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    --busy_;
  }
}

}  // namespace refrain::server
