// Threads for one job: they are started, waited for, and the first exception is passed to the caller. And objects that
// threads use in turn.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "refrain/context.h"

namespace refrain {

// The number of threads that the context requests: context.threads, or if that is 0, one per core that this process
// may run on, but no more than its control groups allow and than the memory has room for.
unsigned thread_count(const Context& context);

// Throws Error(interrupted) once the caller has requested a stop.
void throw_if_stopped(const Context& context);

// Calls job(worker) once for every worker in [0, threads), all at the same time; the calling thread is worker 0.
// Returns when all have returned, and then rethrows the exception that was thrown first, if any.
//
// A job that waits for another one must watch for its failure: a worker that throws does not wake the others.
void run_workers(unsigned threads, const std::function<void(unsigned worker)>& job);

// Calls job(worker, item) for every item in [0, items), each once. Items are started in ascending order and end in
// any order. After an exception no further item is started.
void parallel_for(unsigned threads, std::size_t items,
                  const std::function<void(unsigned worker, std::size_t item)>& job);

// Objects that many threads use repeatedly. Keeping them avoids freeing and allocating their memory each time, which
// costs page faults, and a lock that all threads of a process share.
//
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
