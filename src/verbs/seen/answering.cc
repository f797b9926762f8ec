#include "verbs/seen/answering.h"

#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/threads.h"
#include "engines/library/layout.h"
#include "refrain/error.h"
#include "refrain/seen.h"
#include "verbs/known/rules.h"
#include "verbs/known/take_up.h"

namespace refrain::verbs::seen {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kLookAgain{1};  // interval between checks whether the library has changed

Context with_defaults(Context context) {
  context.threads = thread_count(context);
  context.progress = {};
  return context;
}

// The layout of a library that is created here: the same as dedup creates.
library::Layout new_layout() {
  const known::Rules rules;
  return known::layout_of(rules, choose_bands(rules.threshold, rules.recall, rules.lanes));
}

known::SketchPlan plan_of(const library::Manifest& manifest, const fs::path& library) {
  return {known::rules_of(manifest.layout, library), manifest.layout};
}

void check_utf8(const SeenDocument& document) {
  for (const std::string_view bytes : {document.id, document.text})
    if (!simdjson::validate_utf8(bytes.data(), bytes.size()))
      throw Error(Errc::invalid_argument, "a document is not UTF-8");
}

}  // namespace

std::unique_ptr<Comparer> Comparers::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop, [&] { return !idle_.empty(); })) throw Error(Errc::interrupted, "stopped");
  std::unique_ptr<Comparer> out = std::move(idle_.back());
  idle_.pop_back();
  return out;
}

void Comparers::put(std::unique_ptr<Comparer> back) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(back));
  changed_.notify_one();
}

void PendingSyncs::add(const std::shared_ptr<Recent>& recent, std::uint64_t end) {
  if (!recent) return;
  const auto known = std::ranges::find(all_, recent, &LoggedMatch::recent);
  if (known == all_.end())
    all_.push_back({recent, end});
  else
    known->end = std::max(known->end, end);
}

void PendingSyncs::wait() const {
  for (const LoggedMatch& one : all_) one.recent->log().sync(one.end);
}

Answering::Answering(const SeenOptions& options, const Context& context)
    : options_(options),
      context_(with_defaults(context)),
      budget_(context_),
      writing_(options.add ? std::make_unique<library::LibraryWriter>(options.library, new_layout()) : nullptr),
      plan_(plan_of(writing_ ? writing_->manifest() : library::read_manifest(options.library), options.library)) {
  Context alone = context_;
  alone.threads = 1;
  file_texts_.emplace(alone, budget_);
  std::vector<std::unique_ptr<Comparer>> all;
  for (unsigned i = 0; i < context_.threads; ++i)
    all.push_back(std::make_unique<Comparer>(plan_, options_.trust_signatures, *file_texts_, alone, budget_));
  comparers_.emplace(std::move(all));
  if (writing_)
    arrivals_.emplace(options_.library, std::move(writing_), context_, budget_, options_.log);
  else
    snapshot_ = std::make_shared<const Snapshot>(options_.library, nullptr, budget_);
}

std::vector<SeenAnswer> Answering::seen(std::span<const SeenDocument> documents, const std::stop_token& stop,
                                        bool add) {
  for (const SeenDocument& document : documents) check_utf8(document);
  std::vector<SeenAnswer> answers;
  PendingSyncs awaited;
  {
    const std::shared_ptr<const Snapshot> read_only = arrivals_ ? nullptr : newest();
    Comparers::Taken comparer(*comparers_, stop);
    for (const SeenDocument& document : documents) {
      if (stop.stop_requested()) throw Error(Errc::interrupted, "stopped");
      if (read_only) {
        (*comparer).begin(document, read_only->templates().of(known::source_of(document.id)).get(), *read_only, stop);
        answers.push_back((*comparer).answer());
      } else {
        answers.push_back(ask(*comparer, document, add, awaited, stop));
      }
    }
  }
  awaited.wait();
  return answers;
}

// Returns the newest commit of a library that other processes may change.
std::shared_ptr<const Snapshot> Answering::newest() {
  const std::lock_guard lock(snapshot_mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kLookAgain) return snapshot_;
  looked_ = now;
  if (library::identity_of(library::read_manifest(options_.library)) == library::identity_of(snapshot_->manifest()))
    return snapshot_;
  auto newer = std::make_shared<const Snapshot>(options_.library, snapshot_.get(), budget_);
  if (newer->manifest().layout != plan_.layout)
    throw Error(Errc::busy, options_.library.string() + ": another library took its place; start the server again");
  return snapshot_ = std::move(newer);
}

SeenAnswer Answering::ask(Comparer& comparer, const SeenDocument& document, bool add, PendingSyncs& awaited,
                          const std::stop_token& stop) {
  Pending pending{.document = document,
                  .add = add,
                  .source = known::source_of(document.id),
                  .snapshot = {},
                  .left_out = {},
                  .record = {}};
  while (true) {
    {
      const auto lock = arrivals_->lock();
      pending.snapshot = arrivals_->view().snapshot;
    }
    pending.left_out = pending.snapshot->templates().of(pending.source);
    comparer.begin(document, pending.left_out.get(), *pending.snapshot, stop);
    if (std::optional<SeenAnswer> answer = settle(comparer, pending, awaited, stop)) return std::move(*answer);
  }
}

// Compares the document with recently added ones until none is left that it has not been compared with, then adds
// it if it is new and to be added. Returns nothing if it must be compared with a newer snapshot.
std::optional<SeenAnswer> Answering::settle(Comparer& comparer, Pending& pending, PendingSyncs& awaited,
                                            const std::stop_token& stop) {
  auto lock = arrivals_->lock();
  while (arrivals_->view().snapshot == pending.snapshot) {
    const bool older = comparer.note_candidates(arrivals_->view().closed);
    if (comparer.note_candidates(arrivals_->view().open) || older) {
      lock.unlock();
      comparer.compare();
      lock.lock();
    } else if (comparer.removed() || !pending.add) {
      awaited.add(comparer.logged().recent, comparer.logged().end);
      return comparer.answer();
    } else if (pending.record.line.empty()) {
      lock.unlock();
      pending.record = known::make_text_record(pending.document.id, pending.document.text);
      lock.lock();
    } else if (arrivals_->has_room(lock, stop)) {
      add(comparer, pending, awaited);
      SeenAnswer answer = comparer.answer();
      answer.added = true;
      return answer;
    }
  }
  return std::nullopt;
}

// The caller must hold the lock.
void Answering::add(const Comparer& comparer, const Pending& pending, PendingSyncs& awaited) {
  const std::shared_ptr<Recent>& open = arrivals_->view().open;
  const known::TextSketch& sketch = comparer.sketch();
  auto document = std::make_unique<RecentDocument>(RecentDocument{.id = std::string(pending.document.id),
                                                                  .source = pending.source,
                                                                  .left_out = pending.left_out,
                                                                  .digest = sketch.digest,
                                                                  .signature = sketch.signature,
                                                                  .bands = sketch.bands,
                                                                  .bytes = pending.record.bytes,
                                                                  .text_bytes = pending.document.text.size()});
  const std::uint64_t place = open->log().append(pending.record.line);
  document->begin = place + pending.record.begin;
  document->end = place + pending.record.line.size();
  awaited.add(open, document->end);
  open->add(std::move(document), sketch.keys);
  ++added_;
}

SeenStats Answering::stats() {
  std::shared_ptr<const Snapshot> of;
  SeenStats stats;
  if (arrivals_) {
    const auto lock = arrivals_->lock();
    of = arrivals_->view().snapshot;
    for (const auto& recent : {arrivals_->view().closed, arrivals_->view().open})
      if (recent) stats.recent += recent->size();
  } else {
    of = newest();
  }
  const library::Manifest& manifest = of->manifest();
  stats.generation = manifest.generation;
  stats.segments = manifest.segments.size();
  for (const library::SegmentInfo& segment : manifest.segments) stats.documents += segment.documents - segment.removed;
  stats.added = added_;
  return stats;
}

}  // namespace refrain::verbs::seen

namespace refrain {

struct Seen::State : verbs::seen::Answering {
  using Answering::Answering;
};

std::string_view seen_status_name(SeenStatus status) {
  switch (status) {
    case SeenStatus::exact:
      return "exact";
    case SeenStatus::near:
      return "near";
    case SeenStatus::fresh:
      break;
  }
  return "new";
}

Seen::Seen(const SeenOptions& options, const Context& context) : state_(std::make_unique<State>(options, context)) {}

Seen::~Seen() = default;

std::vector<SeenAnswer> Seen::seen(std::span<const SeenDocument> documents, const std::stop_token& stop, bool add) {
  return state_->seen(documents, stop, add);
}

SeenStats Seen::stats() const {
  return state_->stats();
}

}  // namespace refrain
