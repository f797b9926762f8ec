// The threads that answer a query: the thread that received it, and as many others as are idle.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// Counts the threads of a job that are idle.
class IdleThreads {
 public:
  explicit IdleThreads(unsigned threads) : idle_(static_cast<int>(threads)) {}

  // Threads that were taken. They are given back when it goes out of scope.
  class Taken {
   public:
    // For the calling thread: it is at work, whether or not it counts as idle.
    explicit Taken(IdleThreads& from) : from_(from), count_(1) { --from_.idle_; }
    Taken(IdleThreads& from, unsigned most) : from_(from), count_(from.take(most)) {}
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    ~Taken() { from_.idle_ += static_cast<int>(count_); }
    unsigned count() const { return count_; }

   private:
    IdleThreads& from_;
    unsigned count_;
  };

 private:
  unsigned take(unsigned most);

  std::atomic<int> idle_;  // below 0 while a thread whose place was taken is at work itself
};

// The workers of one query. The thread that received it is worker 0.
class QueryWorkers {
 public:
  // Keeps references to both. The snapshot belongs to the calling thread; every other worker has a clone.
  QueryWorkers(Snapshot& snapshot, IdleThreads& idle) : snapshot_(snapshot), idle_(idle), own_(idle) {}

  // Calls job(worker, snapshot, item) once for every item in [0, items), with one worker per kItemsPerWorker items,
  // as long as threads are idle. Workers are numbered from 0 to kMostWorkers - 1, and each always gets the same
  // snapshot.
  static constexpr std::size_t kItemsPerWorker = 16;
  static constexpr std::size_t kMostWorkers = 16;
  using Job = std::function<void(unsigned worker, Snapshot& snapshot, std::size_t item)>;
  void run(std::size_t items, const Job& job);

 private:
  struct Clone {
    explicit Clone(const Snapshot& of) : snapshot(of.clone()), holding(*snapshot) {}
    std::unique_ptr<Snapshot> snapshot;
    Snapshot::Holding holding;
  };

  bool has_clones(std::size_t count);

  Snapshot& snapshot_;
  IdleThreads& idle_;
  IdleThreads::Taken own_;
  std::vector<std::unique_ptr<Clone>> clones_;  // of workers 1 and above
};

}  // namespace refrain::verbs::index
