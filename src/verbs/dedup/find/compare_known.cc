// dedup: compares documents with those of libraries. Keys and signatures propose candidates, the texts decide.
#include <memory>
#include <optional>
#include <span>

#include "base/pieces.h"
#include "text/windows.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/libraries/libraries.h"
#include "verbs/dedup/state/compared_texts.h"
#include "verbs/known/judgement.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

namespace {

// Writes the best hit of each document. A document's pairs come in order of rank.
class HitWriter {
 public:
  explicit HitWriter(DedupRun& run) : out_(run.dir.create_work("known")) {}

  void add(const KnownHit& hit, KnownReport& report) {
    if (best_ && best_->document != hit.document) flush(report);
    if (!best_ || hit.is_better_than(*best_)) best_ = hit;
  }
  void flush(KnownReport& report) {
    if (!best_) return;
    report.exact += best_->kind == KnownHit::exact ? 1 : 0;
    report.near += best_->kind == KnownHit::near ? 1 : 0;
    report.unverified += best_->kind == KnownHit::gone || best_->trusted != 0 ? 1 : 0;
    out_.write_values(std::span<const KnownHit>(&*best_, 1));
    best_.reset();
  }
  run::RunFile& file() { return out_; }

 private:
  run::RunFile out_;
  std::optional<KnownHit> best_;
};

void compare_known(DedupRun& run, KnownReport& report) {
  struct KnownWorker {
    KnownWorker(DedupRun& of, const std::optional<text::FeaturePlan>& plan, std::uint64_t memory) : texts(of) {
      if (plan) comparer.emplace(texts, *plan, of.rule(), of.budget, memory);
    }
    ComparedTexts texts;
    std::optional<sketch::Comparer> comparer;
  };
  std::optional<text::FeaturePlan> plan;
  if (run.near != nullptr) plan.emplace(run.options.windows);
  const known::JudgeRules rules{
      .match = run.rule(), .exact = run.options.exact, .trust_signatures = run.options.trust_signatures};
  const std::shared_ptr<const KnownDocuments> known = run.known_documents();
  const std::uint64_t share = run.budget.available() / 2 / run.threads;
  PerWorker<KnownWorker> workers(run.context);
  HitWriter hits(run);
  Blocks<KnownPair, std::optional<known::Verdict>> blocks(
      run.context, nullptr,
      [&](unsigned number, const KnownPair& pair) {
        KnownWorker& worker = workers.get(number, run, plan, share);
        return known::judge(rules, {.exact = pair.exact != 0, .estimate = pair.estimate},
                            known->row(pair.match).there != 0, pair.document, pair.match, worker.texts,
                            worker.comparer ? &*worker.comparer : nullptr);
      },
      [&](const KnownPair& pair, const std::optional<known::Verdict>& verdict) {
        if (verdict) hits.add({*verdict, pair.document, pair.match}, report);
      });
  run::ColumnReader<KnownPair> reader(run.dir.work("known_pairs"));
  for (KnownPair pair; reader.next(pair);) blocks.add(pair);
  blocks.finish();
  hits.flush(report);
  run.dir.close(hits.file());
}

}  // namespace

void dedup_known(DedupRun& run) {
  KnownReport report;
  check_order(run);
  if (!run.plan.overrides.empty() && run.looked_up != library_state(run))
    throw Error(Errc::bad_input,
                fmt::format("{}: the library changed since this run looked into it; start again with `force`",
                            run.options.library.string()));
  look_up_known(run, report);
  compare_known(run, report);
  run.report.known = report;
  run.looked_up = library_state(run);
  run.library_run = new_run_name();
}

}  // namespace refrain::verbs::dedup
