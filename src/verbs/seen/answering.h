// Answers whether documents were seen before, from a library that is kept open: what refrain::Seen is made of.
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
#include "verbs/known/text_records.h"
#include "verbs/known/text_sketch.h"
#include "verbs/seen/arrivals.h"
#include "verbs/seen/comparer.h"
#include "verbs/seen/snapshot.h"

namespace refrain::verbs::seen {

// As many as there may be documents that are worked on at a time: whoever comes when none is idle waits.
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

// The records that answers depend on: each log, up to where it must be on the disk.
class Awaited {
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

  std::vector<SeenAnswer> seen(std::span<const SeenDocument> documents, const std::stop_token& stop);
  SeenStats stats();

 private:
  std::shared_ptr<const Snapshot> newest();
  SeenAnswer ask_and_add(Comparer& comparer, const SeenDocument& document, Awaited& awaited,
                         const std::stop_token& stop);
  // A document that is being decided.
  struct Pending {
    const SeenDocument& document;
    const std::string source;
    std::shared_ptr<const Snapshot> snapshot;  // that it was compared with
    std::shared_ptr<const known::SourceTemplate> left_out;
    known::TextRecord record;
  };
  std::optional<SeenAnswer> settle(Comparer& comparer, Pending& pending, Awaited& awaited, const std::stop_token& stop);
  void add(const Comparer& comparer, const Pending& pending, Awaited& awaited);

  const SeenOptions options_;
  const Context context_;
  MemoryBudget budget_;
  std::unique_ptr<library::Writing> writing_;  // until arrivals_ has it
  const known::SketchPlan plan_;
  std::atomic<std::uint64_t> added_{0};

  std::mutex snapshot_mutex_;  // where the library is only read
  std::shared_ptr<const Snapshot> snapshot_;
  std::chrono::steady_clock::time_point looked_{};

  std::optional<Comparers> comparers_;
  std::optional<Arrivals> arrivals_;  // none: nothing is added
};

}  // namespace refrain::verbs::seen
