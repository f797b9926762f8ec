#include "verbs/index/extract/stages.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "verbs/index/query/runs.h"

namespace refrain::verbs::index {
namespace {

constexpr const char* kTextWhat = "the text of a document";

// The state of one worker.
class EditedFinder {
 public:
  EditedFinder(const Snapshot& snapshot, const PassageLimits& limits, const ExcludedTexts& excluded,
               MemoryBudget& budget, const TokenTable& table, MatchShuffle& matches, unsigned threads)
      : snapshot_(snapshot.clone()),
        holding_(*snapshot_),
        limits_(limits),
        excluded_(excluded),
        budget_(budget),
        table_(table),
        writer_(matches.writer()) {
    holding_.hold_pages(budget, threads);
  }

  void ask(std::uint64_t document, const Context& context) {
    Reservation room = budget_.reserve(snapshot_->text_room(document), kTextWhat);
    std::string text;
    try {
      text = snapshot_->text(document);
    } catch (const Error& error) {
      if (error.code() != Errc::bad_input) throw;
      changed_.push_back({document, error.what()});
      return;
    }
    room.resize(text.capacity(), kTextWhat);
    DocumentRuns runs(*snapshot_, text, limits_, excluded_, budget_);
    const blot::DocumentBlocks own = blocks_of_document(*snapshot_, document);
    const blot::DocumentBlocks behind{document + 1, own.end, snapshot_->blocks()};
    runs.find({.own = own, .wanted = std::span(&behind, 1), .max_documents = limits_.max_documents, .first = true},
              context);
    for (std::uint32_t chain = 0; chain < runs.chains().size(); ++chain) {
      throw_if_stopped(context);
      const std::uint64_t place = table_.begins[runs.document(chain)];
      for (const SharedRun& run : runs.reported(chain, [](std::uint32_t) { return false; }))
        writer_.add({.a = table_.begins[document] + run.query.first,
                     .b = place + run.place.first,
                     .a_length = static_cast<std::uint32_t>(run.query.size()),
                     .b_length = static_cast<std::uint32_t>(run.place.size()),
                     .matches = static_cast<std::uint32_t>(run.matches),
                     .document = static_cast<std::uint32_t>(document)});
    }
    changed_.insert(changed_.end(), runs.changed().begin(), runs.changed().end());
  }

  const std::vector<DocumentRuns::Changed>& changed() const { return changed_; }
  std::string id(std::uint64_t document) { return snapshot_->id(document); }

 private:
  std::unique_ptr<Snapshot> snapshot_;
  Snapshot::Holding holding_;
  const PassageLimits& limits_;
  const ExcludedTexts& excluded_;
  MemoryBudget& budget_;
  const TokenTable& table_;
  MatchShuffle::Writer writer_;
  std::vector<DocumentRuns::Changed> changed_;
};

}  // namespace

void find_edited(Snapshot& snapshot, const PassageLimits& limits, const ExcludedTexts& excluded, MemoryBudget& budget,
                 const Context& context, TokenTable& table, MatchShuffle& matches, ExtractReport& report) {
  const unsigned threads = thread_count(context);
  Context quiet = context;
  quiet.progress = nullptr;
  std::vector<std::unique_ptr<EditedFinder>> finders(threads);
  for (auto& finder : finders)
    finder = std::make_unique<EditedFinder>(snapshot, limits, excluded, budget, table, matches, threads);
  Progress progress(context, "edits", "documents", table.documents());
  parallel_for(threads, static_cast<std::size_t>(table.documents()), [&](unsigned worker, std::size_t document) {
    if (table.missing[document] == 0 && table.tokens(document) > 0) finders[worker]->ask(document, quiet);
    progress.add(1);
  });
  progress.finish();
  for (const auto& finder : finders)
    for (const auto& [document, reason] : finder->changed())
      table.note_missing(document, {finder->id(document), reason}, report);
}

}  // namespace refrain::verbs::index
