// The implementation of refrain::Seen: answers, from a library that is kept open, whether documents were seen
// before.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "engines/library/folder.h"
#include "refrain/context.h"
#include "refrain/seen.h"
#include "verbs/known/file_texts.h"
#include "verbs/known/rules.h"
#include "verbs/known/text_records.h"
#include "verbs/seen/arrivals.h"
#include "verbs/seen/comparer.h"
#include "verbs/seen/recent.h"

namespace refrain::verbs::seen {

// A pool with one comparer for each document that may be processed at the same time. A caller waits if none is
// idle.
class Comparers {
 public:
  explicit Comparers(std::vector<std::unique_ptr<Comparer>> all) : idle_(std::move(all)) {}

  class Taken {
   public:
    Taken(Comparers& of, const std::stop_token& stop) : of_(of), comparer_(of.take(stop)) {}
    ~Taken() { of_.put(std::move(comparer_)); }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    Comparer& operator*() { return *comparer_; }

   private:
    Comparers& of_;
    std::unique_ptr<Comparer> comparer_;
  };

 private:
  std::unique_ptr<Comparer> take(const std::stop_token& stop);
  void put(std::unique_ptr<Comparer> back);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::unique_ptr<Comparer>> idle_;
};

// The records that answers depend on: for each log, the offset up to which it must be on disk.
class PendingSyncs {
 public:
  void add(const std::shared_ptr<Recent>& recent, std::uint64_t end);
  void wait() const;

 private:
  std::vector<LoggedMatch> all_;
};

// Thread-safe.
class Answering {
 public:
  Answering(const SeenOptions& options, const Context& context);

  std::vector<SeenAnswer> seen(std::span<const SeenDocument> documents, const std::stop_token& stop, bool add);
  SeenStats stats();

 private:
  std::shared_ptr<const Snapshot> newest();
  SeenAnswer ask(Comparer& comparer, const SeenDocument& document, bool add, PendingSyncs& awaited,
                 const std::stop_token& stop);
  // A document that is being processed.
  struct Pending {
    const SeenDocument& document;
    const bool add;  // if it is new
    const std::string source;
    std::shared_ptr<const Snapshot> snapshot;  // the snapshot that it was compared with
    std::shared_ptr<const known::SourceTemplate> left_out;
    known::TextRecord record;
  };
  std::optional<SeenAnswer> settle(Comparer& comparer, Pending& pending, PendingSyncs& awaited,
                                   const std::stop_token& stop);
  void add(const Comparer& comparer, const Pending& pending, PendingSyncs& awaited);

  const SeenOptions options_;
  const Context context_;
  MemoryBudget budget_;
  std::unique_ptr<library::LibraryWriter> writing_;  // moved into arrivals_ during construction
  const known::SketchPlan plan_;
  std::atomic<std::uint64_t> added_{0};

  std::mutex snapshot_mutex_;  // used if the library is only read
  std::shared_ptr<const Snapshot> snapshot_;
  std::chrono::steady_clock::time_point looked_{};

  std::optional<known::FileTexts> file_texts_;
  std::optional<Comparers> comparers_;
  std::optional<Arrivals> arrivals_;  // not set: nothing is added
};

}  // namespace refrain::verbs::seen
