#include "verbs/index/query/crew.h"

#include <algorithm>

#include "base/threads.h"

namespace refrain::verbs::index {

unsigned IdleThreads::take(unsigned most) {
  unsigned idle = idle_.load();
  while (!idle_.compare_exchange_weak(idle, idle - std::min(idle, most))) {
  }
  return std::min(idle, most);
}

void Crew::run(std::size_t items, const Job& job) {
  const std::size_t useful = std::clamp<std::size_t>(items / kItemsAWorker, 1, kMostWorkers);
  const IdleThreads::Taken others(idle_, static_cast<unsigned>(useful - 1));
  while (clones_.size() < others.count()) clones_.push_back(std::make_unique<Clone>(snapshot_));
  parallel_for(1 + others.count(), items, [&](unsigned worker, std::size_t item) {
    job(worker, worker == 0 ? snapshot_ : *clones_[worker - 1]->snapshot, item);
  });
}

}  // namespace refrain::verbs::index
