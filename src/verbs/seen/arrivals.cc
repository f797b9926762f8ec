#include "verbs/seen/arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include "corpus/formats/raw_json.h"
#include "engines/library/layout.h"
#include "engines/library/reader.h"
#include "verbs/known/take_up.h"
#include "verbs/known/text_records.h"

namespace refrain::verbs::seen {

namespace {

constexpr std::uint64_t kMostDocuments = 1U << 15U;  // most in a table; after a crash they are sketched again
constexpr std::uint64_t kLeastDocuments = 256;
constexpr std::uint64_t kTablesShare = 4;             // the tables take this fraction of the available memory
constexpr std::chrono::seconds kLongestWait{60};      // until added documents are in a segment, even if few
constexpr std::chrono::milliseconds kRetryWait{500};  // after a failure

Context committing(const Context& context) {
  constexpr std::uint64_t kShare = 4;
  Context out = context;
  out.memory_bytes =
      std::max(kMinMemoryBytes, (context.memory_bytes == 0 ? default_memory_bytes() : context.memory_bytes) / kShare);
  out.threads = 1;  // the other threads answer requests
  out.progress = {};
  out.stop = {};
  return out;
}

bool is_named(const library::Manifest& manifest, const std::string& run) {
  return std::ranges::find(manifest.segments, run, &library::SegmentInfo::run) != manifest.segments.end() ||
         std::ranges::find(manifest.runs, run) != manifest.runs.end();
}

// Whether the library contains the document.
bool holds(library::Reader& reader, const RecentDocument& document) {
  bool found = false;
  library::KnownDocument known;
  const library::Probe probe{library::digest_key(document.digest), 0};
  reader.find({&probe, 1}, [&](std::size_t, library::KnownId hit) {
    if (found) return;
    reader.get(hit, known);
    found = known.digest == document.digest && reader.id(hit) == document.id;
  });
  return found;
}

}  // namespace

Arrivals::Arrivals(const std::filesystem::path& library, std::unique_ptr<library::LibraryWriter> writing,
                   const Context& context, MemoryBudget& budget, Log log)
    : library_(library),
      context_(committing(context)),
      budget_(budget),
      log_(std::move(log)),
      commit_budget_(context_),
      temp_(context_),
      writing_(std::move(writing)) {
  if (writing_->manifest().generation == 0) writing_->commit();  // creates the library's folder
  const known::CommittedTexts taken = known::commit_waiting_texts(*writing_, library_, context_, commit_budget_, temp_);
  if (taken.cut_off_bytes != 0 && log_)
    log_(
        fmt::format("{}: dropped {} bytes that were being written when an earlier server was killed or lost power; "
                    "none of them was answered as added",
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
  view_.open = std::make_shared<Recent>(most_, view_.snapshot->manifest().layout, budget_, library_, new_log_name());
  return true;
}

// The caller must hold the lock. A number is used only once, even if its file could not be created.
std::string Arrivals::new_log_name() {
  return known::texts_name(next_log_++);
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
    std::shared_ptr<Recent> left;
    std::optional<Error> failure;
    try {
      left = commit(*before.closed);
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
      view_.closed = std::move(left);
    }
    changed_.notify_all();
    if (!failure_) continue;
    if (stop.stop_requested()) return;
    changed_.wait_for(held, stop, kRetryWait, [] { return false; });
  }
}

// Makes a segment of what the log has on disk. Returns documents that still need one, in a table of their own;
// usually there are none.
std::shared_ptr<Recent> Arrivals::commit(Recent& recent) {
  try {
    recent.log().sync(recent.log().end());
  } catch (const Error&) {  // those who added the documents have received the error
  }
  const std::uint64_t durable = recent.log().durable();
  const std::string& name = recent.log().name();
  writing_->restart();  // the last attempt may have failed halfway, or its commit may have succeeded after all
  if (is_named(writing_->manifest(), name)) return move_uncommitted(recent, durable);
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
  return nullptr;
}

// Handles a log that the manifest already names. Usually an earlier attempt committed it, and nothing is left to
// do. But a process that did not see the lock may have made a segment of the log; it knows nothing of what was
// appended later, and may have replaced the file. Documents that the library does not contain go to a new log.
std::shared_ptr<Recent> Arrivals::move_uncommitted(Recent& taken, std::uint64_t durable) {
  const library::Layout& layout = writing_->manifest().layout;
  library::Reader reader(library_, commit_budget_);
  std::shared_ptr<Recent> left;
  std::vector<std::uint64_t> keys;
  for (std::uint32_t i = 0; i < taken.size() && taken[i].end <= durable; ++i) {
    if (holds(reader, taken[i])) continue;
    if (!left) {
      std::unique_lock held(mutex_);
      std::string name = new_log_name();
      held.unlock();
      left = std::make_shared<Recent>(taken.size(), layout, budget_, library_, std::move(name));
    }
    auto document = std::make_unique<RecentDocument>(taken[i]);
    const std::string raw = taken.log().read(document->begin, document->bytes);
    const known::TextRecord record = known::make_text_record(document->id, corpus::json_content(raw).value());
    const std::uint64_t place = left->log().append(record.line);
    document->begin = place + record.begin;
    document->bytes = record.bytes;
    document->end = place + record.line.size();
    keys.clear();
    library::append_keys(layout, document->digest, document->signature, document->bands, keys);
    left->add(std::move(document), keys);
  }
  if (left) left->log().sync(left->log().end());
  return left;
}

}  // namespace refrain::verbs::seen
