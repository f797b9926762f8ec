// A relay: many workers make things that must be used one after the other, in order.
//
// Each worker has several things of its own, so it seldom waits. The worker that hands in the next thing in order
// uses it, and all the following ones that are ready, while the other workers go on making things.
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>

#include "base/threads.h"

namespace refrain {

template <class Thing>
class Relay {
 public:
  // The number of things that a worker has.
  static constexpr std::size_t kThingsPerWorker = 3;

  explicit Relay(unsigned workers) : workers_(workers) {}

  // Calls make(worker, item, thing) for all items in parallel, and use(item, thing) once all items before it have
  // been used: one at a time, by any worker. After a failure, which is thrown, nothing more is made or used.
  template <class Make, class Use>
  void run(std::size_t items, Make make, Use use) {
    parallel_for(static_cast<unsigned>(workers_.size()), items, [&](unsigned worker, std::size_t item) {
      add(
          worker, item, [&](Thing& thing) { make(worker, item, thing); }, use);
    });
  }

  // Makes one item and hands it in, if another loop distributes the items: in ascending order, each once. Anything
  // that may fail must happen in `make`, or else the others wait for this item for ever.
  template <class Make, class Use>
  void add(unsigned worker, std::size_t item, Make make, Use use) {
    try {
      Entry* entry = free_entry(worker);
      if (entry == nullptr) return;  // another worker has failed and throws the error
      make(entry->thing);
      hand_in(*entry, item, use);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      for (Worker& other : workers_) other.freed.notify_one();
      throw;
    }
  }

 private:
  struct Worker;
  struct Entry {
    Thing thing{};
    Worker* owner = nullptr;
    bool waits = false;
  };
  struct Worker {
    std::array<Entry, kThingsPerWorker> things;
    std::condition_variable freed;  // one per worker: many wait, and only one of them can continue
  };

  // There is no deadlock: of the items that were begun and not handed in, consider the first. All items before it
  // have been handed in and will be used, so its worker gets its things back.
  Entry* free_entry(unsigned number) {
    Worker& worker = workers_[number];
    std::unique_lock lock(mutex_);
    const auto found = [&] {
      return std::find_if(worker.things.begin(), worker.things.end(), [](const Entry& entry) { return !entry.waits; });
    };
    worker.freed.wait(lock, [&] { return failed_ || found() != worker.things.end(); });
    if (failed_) return nullptr;
    found()->owner = &worker;
    return &*found();
  }

  template <class Use>
  void hand_in(Entry& entry, std::size_t item, Use use) {
    std::unique_lock lock(mutex_);
    entry.waits = true;
    waiting_.emplace(item, &entry);
    if (using_) return;
    using_ = true;
    while (!failed_ && !waiting_.empty() && waiting_.begin()->first == next_) {
      const std::size_t turn = next_;
      Entry& ready = *waiting_.begin()->second;
      waiting_.erase(waiting_.begin());
      lock.unlock();
      use(turn, ready.thing);
      lock.lock();
      ready.waits = false;
      ++next_;
      ready.owner->freed.notify_one();
    }
    using_ = false;
  }

  std::deque<Worker> workers_;  // a deque, because its elements do not move
  std::mutex mutex_;
  std::map<std::size_t, Entry*> waiting_;  // handed in, but not used yet
  std::size_t next_ = 0;
  bool using_ = false;
  bool failed_ = false;
};

}  // namespace refrain
