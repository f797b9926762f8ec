// Objects that many threads use repeatedly. Keeping them avoids freeing and allocating their memory each time, which
// costs page faults, and a lock that all threads of a process share.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace refrain {

// T has a function may_be_kept(), which says whether an object is worth keeping: it is not if it has grown too large.
// Thread-safe.
template <class T>
class Pool {
 public:
  // Returns an idle object, in the state in which it was left, or else make(). The object returns to the pool when
  // the last pointer to it is gone, which must happen while the pool exists.
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
