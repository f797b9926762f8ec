// Documents that were added and are in no segment yet, and the thread that makes segments of them.
//
// They are in two tables: one that grows, and one that is closed and is being made a segment of. Each has a log, a file of
// texts of its own. When the segment is committed, which names that file as its run, the closed table goes, and the
// snapshot has the documents instead; both in one step, so a document is always in one of them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/budget.h"
#include "base/files/temp_space.h"
#include "engines/library/folder.h"
#include "refrain/context.h"
#include "refrain/error.h"
#include "verbs/seen/recent.h"
#include "verbs/seen/snapshot.h"

namespace refrain::verbs::seen {

// What there is to look into.
struct View {
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<Recent> closed;  // may be null, and so may this:
  std::shared_ptr<Recent> open;
};

// Thread-safe, where nothing else is said.
class Arrivals {
 public:
  using Log = std::function<void(std::string_view line)>;

  // What an earlier process added is taken up. `context` and `budget` are for the tables and the snapshots.
  Arrivals(const std::filesystem::path& library, std::unique_ptr<library::Writing> writing, const Context& context,
           MemoryBudget& budget, Log log);
  // Makes a segment of what there is, if that is possible.
  ~Arrivals();
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  // For the functions below: as long as it is held nothing changes.
  std::unique_lock<std::mutex> lock() const { return std::unique_lock(mutex_); }
  // Under the lock.
  const View& view() const { return view_; }
  // Under the lock. Whether there is room in view().open now; if not, some may be made meanwhile, the lock was given up,
  // and nothing is as it was. Error(interrupted) once `stop` is set; what keeps segments from being made, where that is so.
  bool has_room(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

 private:
  void run(const std::stop_token& stop);
  void commit(Recent& recent);

  const std::filesystem::path library_;
  const Context context_;
  MemoryBudget& budget_;
  const Log log_;
  MemoryBudget commit_budget_;
  TempSpace temp_;
  std::unique_ptr<library::Writing> writing_;  // of the thread; null after a failure
  std::uint64_t most_ = 0;                     // documents in a table
  std::uint64_t next_log_ = 1;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  View view_;
  std::optional<Error> failure_;  // of the last attempt to make a segment
  std::jthread thread_;
};

}  // namespace refrain::verbs::seen
