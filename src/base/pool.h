// Objects that are used again and again by many threads, so that their memory is not given back and taken anew each time:
// that costs page faults, and a lock that all threads of a process share.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace refrain {

// T: may_be_kept() says whether it is worth keeping: one that has grown too large is not. Thread-safe.
template <class T>
class Pool {
 public:
  // One that lies idle, as it was left, or else make(). It comes back when the last pointer to it is gone, which must be
  // before the pool is.
  template <class Make>
  std::shared_ptr<T> take(Make make) {
    std::unique_ptr<T> item;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        item = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (!item) item = make();
    return {item.release(), [this](T* back) { put(std::unique_ptr<T>(back)); }};
  }

 private:
  void put(std::unique_ptr<T> item) {
    if (!item->may_be_kept()) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(item));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace refrain
