// Documents that were added but are in no segment yet, and the thread that makes segments of them.
//
// They are in two tables: one that grows, and one that is closed and being made into a segment. Each has a log, a
// file of texts of its own. When the segment is committed, which names that file as its run, the closed table is
// dropped and the snapshot contains the documents instead. Both happen in one step, so a document is always in one
// of them.
//
// The library is locked during the lifetime of this object, even after a failure: otherwise another process would
// make segments of the logs, and what is appended to them later would be lost.
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
#include "base/files/temp.h"
#include "engines/library/folder.h"
#include "refrain/context.h"
#include "refrain/error.h"
#include "verbs/seen/recent.h"

namespace refrain::verbs::seen {

// Everything that a document is compared with.
struct View {
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<Recent> closed;  // may be null, and so may `open`
  std::shared_ptr<Recent> open;
};

// Thread-safe, except where noted.
class Arrivals {
 public:
  using Log = std::function<void(std::string_view line)>;

  // Makes segments of what an earlier process added. `context` and `budget` are for the tables and the snapshots.
  Arrivals(const std::filesystem::path& library, std::unique_ptr<library::LibraryWriter> writing,
           const Context& context, MemoryBudget& budget, Log log);
  // Makes a segment of the remaining documents, if possible.
  ~Arrivals();
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  // Locks for the functions below. While the lock is held, nothing changes.
  std::unique_lock<std::mutex> lock() const { return std::unique_lock(mutex_); }
  // The caller must hold the lock.
  const View& view() const { return view_; }
  // The caller must hold `lock`. Returns whether there is room in view().open. If not, the lock was released while
  // waiting for room, and the view may have changed. Throws Error(interrupted) once `stop` is set, or the error
  // that prevents segments from being made.
  bool has_room(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

 private:
  void run(const std::stop_token& stop);
  std::shared_ptr<Recent> commit(Recent& recent);
  std::shared_ptr<Recent> move_uncommitted(Recent& taken, std::uint64_t durable);
  std::string new_log_name();

  const std::filesystem::path library_;
  const Context context_;
  MemoryBudget& budget_;
  const Log log_;
  MemoryBudget commit_budget_;
  TempSpace temp_;
  const std::unique_ptr<library::LibraryWriter> writing_;  // used by the thread
  std::uint64_t most_ = 0;                                 // most documents in a table

  mutable std::mutex mutex_;
  std::uint64_t next_log_ = 1;
  std::condition_variable_any changed_;
  View view_;
  std::optional<Error> failure_;  // of the last attempt to make a segment
  std::jthread thread_;
};

}  // namespace refrain::verbs::seen
