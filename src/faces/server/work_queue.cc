#include "faces/server/work_queue.h"

#include <utility>

namespace refrain::server {

WorkQueue::WorkQueue(unsigned threads, std::size_t max_queued) : most_(threads + max_queued) {
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

WorkQueue::~WorkQueue() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    dropped.swap(queue_);
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkQueue::submit(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || queue_.size() + busy_ >= most_) return false;
    queue_.push_back(std::move(work));
  }
  more_.notify_one();
  return true;
}

void WorkQueue::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [&] { return closing_ || !queue_.empty(); });
    if (queue_.empty()) return;
    ++busy_;
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    --busy_;
  }
}

}  // namespace refrain::server
