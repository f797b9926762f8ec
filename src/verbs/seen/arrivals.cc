#include "verbs/seen/arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "verbs/known/take_up.h"
#include "verbs/known/text_records.h"

namespace refrain::verbs::seen {

namespace {

constexpr std::uint64_t kMostDocuments = 1U << 15U;  // of a table: as many are sketched again after a crash
constexpr std::uint64_t kLeastDocuments = 256;
constexpr std::uint64_t kTablesShare = 4;             // of the memory that is left
constexpr std::chrono::seconds kLongestWait{60};      // until what was added is in a segment, where little is
constexpr std::chrono::milliseconds kRetryWait{500};  // after a failure

Context committing(const Context& context) {
  constexpr std::uint64_t kShare = 4;
  Context out = context;
  out.memory_bytes =
      std::max(kMinMemoryBytes, (context.memory_bytes == 0 ? default_memory_bytes() : context.memory_bytes) / kShare);
  out.threads = 1;  // the others answer
  out.progress = {};
  out.stop = {};
  return out;
}

bool is_named(const library::Manifest& manifest, const std::string& run) {
  return std::ranges::find(manifest.segments, run, &library::SegmentInfo::run) != manifest.segments.end() ||
         std::ranges::find(manifest.runs, run) != manifest.runs.end();
}

}  // namespace

Arrivals::Arrivals(const std::filesystem::path& library, std::unique_ptr<library::Writing> writing,
                   const Context& context, MemoryBudget& budget, Log log)
    : library_(library),
      context_(committing(context)),
      budget_(budget),
      log_(std::move(log)),
      commit_budget_(context_),
      temp_(context_),
      writing_(std::move(writing)) {
  if (writing_->manifest().generation == 0) writing_->commit();  // the folder appears
  const known::TakenUp taken = known::take_up(*writing_, library_, context_, commit_budget_, temp_);
  if (taken.cut_off_bytes != 0 && log_)
    log_(fmt::format("{}: dropped {} bytes of a record that was being written when an earlier server was killed",
                     (library_ / known::kTextsFolder).string(), taken.cut_off_bytes));
  next_log_ = known::next_texts_number(library_, writing_->manifest());
  view_.snapshot = std::make_shared<const Snapshot>(library_, nullptr, budget_);
  const library::Layout& layout = writing_->manifest().layout;
  const std::uint64_t share = budget_.available() / kTablesShare / 2;
  most_ = kMostDocuments;
  while (most_ > kLeastDocuments && Recent::memory_bytes(most_, layout) > share) most_ /= 2;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Arrivals::~Arrivals() = default;

bool Arrivals::has_room(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  if (view_.open && !view_.open->closed()) return true;
  if (view_.open && view_.closed) {
    if (failure_) throw Error(*failure_);
    changed_.wait(lock, stop, [&] { return failure_ || !view_.open || !view_.closed; });
    if (stop.stop_requested()) throw Error(Errc::interrupted, "stopped");
    return false;
  }
  if (view_.open) view_.closed = std::exchange(view_.open, nullptr);
  changed_.notify_all();
  // A number is used once, even where its file could not be made.
  view_.open = std::make_shared<Recent>(most_, view_.snapshot->manifest().layout, budget_, library_,
                                        known::texts_name(next_log_++));
  return true;
}

void Arrivals::run(const std::stop_token& stop) {
  std::unique_lock held(mutex_);
  while (true) {
    changed_.wait_for(held, stop, kLongestWait, [&] { return view_.closed != nullptr; });
    if (!view_.closed && view_.open && view_.open->size() != 0) view_.closed = std::exchange(view_.open, nullptr);
    if (!view_.closed) {
      if (stop.stop_requested()) return;
      continue;
    }
    const View before = view_;
    held.unlock();
    std::shared_ptr<const Snapshot> snapshot;
    std::optional<Error> failure;
    try {
      commit(*before.closed);
      snapshot = std::make_shared<const Snapshot>(library_, before.snapshot.get(), budget_);
    } catch (const Error& error) {
      failure = error;
    } catch (const std::exception& error) {
      failure = Error(Errc::io, error.what());
    }
    if (failure && log_)
      log_(fmt::format("{}; what was added is safe in {}", failure->what(), before.closed->log().name()));
    held.lock();
    failure_ = std::move(failure);
    if (!failure_) {
      view_.snapshot = std::move(snapshot);
      view_.closed.reset();
    }
    changed_.notify_all();
    if (!failure_) continue;
    if (stop.stop_requested()) return;
    changed_.wait_for(held, stop, kRetryWait, [] { return false; });
  }
}

// What the log has on the disk becomes a segment. Where that failed halfway the library is opened anew: the commit may have
// been made all the same.
void Arrivals::commit(Recent& recent) {
  try {
    recent.log().sync(recent.log().end());
  } catch (const Error&) {  // those who added were told
  }
  const std::uint64_t durable = recent.log().durable();
  const std::string& name = recent.log().name();
  try {
    if (!writing_) writing_ = std::make_unique<library::Writing>(library_);
    if (is_named(writing_->manifest(), name)) return;
    known::TextsSegment segment(writing_->add(name, recent.size(), context_, commit_budget_, temp_), name);
    for (std::uint32_t i = 0; i < recent.size() && recent[i].end <= durable; ++i) {
      const RecentDocument& document = recent[i];
      segment.add({.id = document.id,
                   .digest = document.digest,
                   .signature = document.signature,
                   .bands = document.bands,
                   .place = {.begin = document.begin, .bytes = document.bytes},
                   .text_bytes = document.text_bytes},
                  document.source, document.left_out.get());
    }
    writing_->merge_small(context_, commit_budget_, temp_);
    writing_->commit();
  } catch (...) {
    writing_.reset();
    throw;
  }
}

}  // namespace refrain::verbs::seen
