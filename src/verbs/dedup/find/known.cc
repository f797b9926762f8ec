// dedup: compares documents with those of libraries. Keys and signatures propose candidates, the texts decide.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "text/windows.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/find/similarity.h"
#include "verbs/dedup/known/look_up.h"
#include "verbs/dedup/known/remember.h"
#include "verbs/dedup/state/compared_texts.h"
#include "verbs/known/judgement.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::size_t kKnownPairs = std::size_t{1} << 16;  // held in memory at once
constexpr std::size_t kKnownPiece = 64;                    // pairs per task of a worker

// Compares pairs for one thread.
class Comparer {
 public:
  Comparer(DedupRun& run, const text::FeaturePlan* plan, std::uint64_t memory)
      : rules_{.match = run.rule(),
               .exact = run.options.exact,
               .near = plan != nullptr,
               .trust_signatures = run.options.trust_signatures},
        known_(run.known_documents()),
        texts_(run) {
    if (plan != nullptr) similarity_.emplace(run, *plan, memory);
  }

  // The result of comparing the pair; nullopt if it is not a match.
  std::optional<KnownHit> compare(const KnownPair& pair) {
    const std::optional<known::Verdict> verdict = known::judge(
        rules_, {.exact = pair.exact != 0, .estimate = pair.estimate}, known_->row(pair.match).there != 0,
        [&] { return texts_.get(pair.document, one_); },
        [&] { return texts_.get(pair.document, one_) == texts_.get(pair.match, other_); },
        [&] { return similarity_->of(pair.document, pair.match, rules_.match.threshold); },
        [&] { return similarity_->loss(pair.document, pair.match); });
    if (!verdict) return std::nullopt;
    KnownHit hit{*verdict};
    hit.document = pair.document;
    hit.match = pair.match;
    return hit;
  }

 private:
  const known::JudgeRules rules_;
  const std::shared_ptr<const KnownDocuments> known_;
  ComparedTexts texts_;
  std::optional<Similarity> similarity_;
  std::string one_;
  std::string other_;
};

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
  run::ColumnReader<KnownPair> reader(run.dir.work("known_pairs"));
  std::optional<text::FeaturePlan> plan;
  if (run.near != nullptr) plan.emplace(run.options.windows);
  const std::uint64_t share = run.budget.available() / 2 / run.threads;
  std::vector<std::unique_ptr<Comparer>> workers(run.threads);
  HitWriter hits(run);
  std::vector<KnownPair> pairs;
  std::vector<std::optional<KnownHit>> found;
  for (bool more = true; more;) {
    pairs.clear();
    KnownPair pair;
    while (pairs.size() < kKnownPairs && (more = reader.next(pair))) pairs.push_back(pair);
    found.assign(pairs.size(), std::nullopt);
    parallel_for(run.threads, (pairs.size() + kKnownPiece - 1) / kKnownPiece, [&](unsigned worker, std::size_t piece) {
      throw_if_stopped(run.context);
      if (!workers[worker]) workers[worker] = std::make_unique<Comparer>(run, plan ? &*plan : nullptr, share);
      const std::size_t end = std::min(pairs.size(), (piece + 1) * kKnownPiece);
      for (std::size_t i = piece * kKnownPiece; i < end; ++i) found[i] = workers[worker]->compare(pairs[i]);
    });
    for (const std::optional<KnownHit>& hit : found)
      if (hit) hits.add(*hit, report);
  }
  hits.flush(report);
  run.dir.close(hits.file());
}

}  // namespace

void dedup_known(DedupRun& run) {
  KnownReport report;
  check_order(run);
  look_up_known(run, report);
  compare_known(run, report);
  run.dir.facts().put(KnownFacts{.report = report, .library = library_state(run), .run = new_run_name()});
}

}  // namespace refrain::verbs::dedup
