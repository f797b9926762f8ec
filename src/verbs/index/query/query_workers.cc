#include "verbs/index/query/query_workers.h"

#include <algorithm>

#include "base/threads.h"
#include "refrain/error.h"

namespace refrain::verbs::index {

unsigned IdleThreads::take(unsigned most) {
  int idle = idle_.load();
  const auto taken = [&] { return std::min(std::max(idle, 0), static_cast<int>(most)); };
  while (!idle_.compare_exchange_weak(idle, idle - taken())) {
  }
  return static_cast<unsigned>(taken());
}

void QueryWorkers::run(std::size_t items, const Job& job) {
  const std::size_t useful = std::clamp<std::size_t>(items / kItemsPerWorker, 1, kMostWorkers);
  const IdleThreads::Taken others(idle_, static_cast<unsigned>(useful - 1));
  const unsigned workers = has_clones(others.count()) ? 1 + others.count() : 1;
  parallel_for(workers, items, [&](unsigned worker, std::size_t item) {
    job(worker, worker == 0 ? snapshot_ : *clones_[worker - 1]->snapshot, item);
  });
}

// Returns false if the clones cannot be made, for example because too many files are open. One thread can do the
// work too.
bool QueryWorkers::has_clones(std::size_t count) {
  try {
    while (clones_.size() < count) clones_.push_back(std::make_unique<Clone>(snapshot_));
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace refrain::verbs::index
