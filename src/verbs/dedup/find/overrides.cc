// dedup: finds the documents that people decided about, in the input and in libraries.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/threads.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/libraries/libraries.h"
#include "verbs/dedup/state/overrides.h"
#include "verbs/overrides/targets.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

namespace {

constexpr DocId kDocumentsAtOnce = 65536;  // between two checks of the stop token
constexpr std::size_t kMissedShown = 100;  // decisions that the report lists
constexpr std::uint64_t kFirstRank = 1;    // of documents of the input; known documents rank before them

// Calls each(document, digest) for the documents that could be read.
template <class Each>
void for_each_digest(DedupRun& run, Each each) {
  run::ColumnReader<Digest> digests(run.dir.work("hashes"));
  run::ColumnReader<DocState> states(run.dir.work("states"));
  Digest digest;
  DocState state{};
  for (DocId document = 0; digests.next(digest) && states.next(state); ++document) {
    if (document % kDocumentsAtOnce == 0) throw_if_stopped(run.context);
    if (state != DocState::bad) each(document, digest);
  }
}

void add_documents(DedupRun& run, overrides::TargetFinder& finder) {
  const Array<std::uint64_t> keys =
      run.options.keep.rank == Rank::first
          ? Array<std::uint64_t>(run.budget, "the ranking of documents")
          : run::load_column<std::uint64_t>(run.dir.work("keys"), run.budget, "the ranking of documents");
  run::SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
  std::string id;
  for_each_digest(run, [&](DocId document, const Digest& text) {
    if (!finder.names(text)) return;
    // Ties are in input order, which is that of the documents' numbers.
    const std::uint64_t key = keys.empty() ? 0 : std::min(keys[document], kLastKey - kFirstRank);
    finder.add(document, text, ids.get(document, id), key + kFirstRank);
  });
}

void see_ids(DedupRun& run, overrides::TargetFinder& finder) {
  run::SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
  std::string id;
  for_each_digest(run, [&](DocId document, const Digest&) { finder.see(ids.get(document, id)); });
}

// Known documents are named by their numbers across all libraries.
void add_known(DedupRun& run, overrides::TargetFinder& finder) {
  Libraries libraries(run.options, run.budget);
  std::vector<library::Probe> probes;
  for (const Override& line : run.plan.overrides)
    for (const OverrideDocument& document : line.documents)
      probes.push_back({.key = library::digest_key(document.digest), .asker = 0});
  std::sort(probes.begin(), probes.end());
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    throw_if_stopped(run.context);
    std::vector<library::KnownId> found;
    libraries[i].find(probes, [&](std::size_t, library::KnownId known) { found.push_back(known); });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    library::KnownDocument known;
    for (const library::KnownId number : found) {
      libraries[i].get(number, known);
      if (finder.names(known.digest))
        finder.add(kKnownTarget | (libraries.begin(i) + number), known.digest, libraries[i].id(number), 0);
    }
  }
}

OverridesReport report_effects(const std::vector<OverrideEffect>& effects) {
  OverridesReport report;
  for (const OverrideEffect& effect : effects) {
    if (effect.op == OverrideOp::note) continue;
    ++report.decisions;
    report.applied += effect.status == OverrideStatus::applies ? 1 : 0;
    report.stale += effect.status == OverrideStatus::stale ? 1 : 0;
    report.not_found += effect.status == OverrideStatus::not_found ? 1 : 0;
    if (effect.status == OverrideStatus::applies || report.missed.size() == kMissedShown) continue;
    report.missed.push_back({.seq = effect.seq,
                             .op = std::string(override_op_name(effect.op)),
                             .id = effect.documents.front().id.value_or(""),
                             .status = std::string(override_status_name(effect.status))});
  }
  return report;
}

}  // namespace

void dedup_overrides(DedupRun& run) {
  run::RunFile file = run.dir.create_work("overrides");
  if (!run.plan.overrides.empty()) {
    overrides::TargetFinder finder(run.plan.overrides, run.budget);
    add_documents(run, finder);
    if (run.looks_up()) add_known(run, finder);
    if (finder.wants_ids()) see_ids(run, finder);
    std::vector<OverrideEffect> effects;
    const std::vector<overrides::Target> targets = finder.find(effects);
    file.write_values(std::span<const overrides::Target>(targets));
    run.report.overrides = report_effects(effects);
    run.looked_up = library_state(run);
  }
  run.dir.close(file);
}

}  // namespace refrain::verbs::dedup
