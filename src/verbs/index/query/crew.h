// Who answers a question: the thread that was asked, and as many others as have nothing to do.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// How many threads of a job have nothing to do.
class IdleThreads {
 public:
  explicit IdleThreads(unsigned threads) : idle_(static_cast<int>(threads)) {}

  // Given back when it goes out of scope.
  class Taken {
   public:
    // The thread that asks: it is at work, whether it counts as idle or not.
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

// Of one question. The thread that was asked is worker 0.
class Crew {
 public:
  // Both are referred to. The snapshot is the asked thread's; every other one has a clone.
  Crew(Snapshot& snapshot, IdleThreads& idle) : snapshot_(snapshot), idle_(idle), own_(idle) {}

  // Calls job(worker, snapshot, item) for every item in [0, items), each once, on one worker per kItemsPerWorker items, as far as
  // there are idle threads. Workers are numbered from 0 to kMostWorkers - 1, and each always has the same snapshot.
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
  std::vector<std::unique_ptr<Clone>> clones_;  // of worker 1 on
};

}  // namespace refrain::verbs::index
