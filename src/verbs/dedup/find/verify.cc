// dedup: compares the texts of candidate pairs and decides who is kept; kept documents then meet again, until there
// is no new match.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>
#include <vector>

#include "base/files/path.h"
#include "base/pieces.h"
#include "base/progress.h"
#include "verbs/dedup/against/against.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/state/compared_texts.h"
#include "verbs/dedup/state/known_documents.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

namespace {

constexpr unsigned kMostRounds = 64;
// If similar documents have text of their own, a removed document may come back when the one it was removed for is
// removed. So after this many rounds, a round is the last if it leaves more than kWorthIt of what was kept before
// it.
constexpr unsigned kManyRounds = 8;
constexpr double kWorthIt = 0.9;

// The results of comparing the pairs of a round.
struct Verified {
  std::uint64_t met = 0;
  std::uint64_t compared = 0;
  std::uint64_t similar = 0;
  std::uint64_t matches = 0;  // similar pairs of which little would be lost
};

// Compares the pairs in `from`, and writes those that are similar.
Verified verify(DedupRun& run, const Ranks& ranks, const std::filesystem::path& from, run::RunFile& out) {
  struct PairWorker : DocumentComparer {
    using DocumentComparer::DocumentComparer;
    std::vector<std::uint8_t> first;
    std::vector<std::uint8_t> second;
  };
  const text::FeaturePlan plan(run.options.windows);
  const Sketches sketches(run);
  const RunOverrides& overrides = run.overrides();
  const std::uint64_t share = run.budget.available() / 2 / run.threads;
  PerWorker<PairWorker> workers(run.context);
  std::atomic<std::uint64_t> compared = 0;
  Verified verified{.met = file_bytes(from) / sizeof(RankPair)};
  Progress progress(run.context, "verify", "pairs", verified.met);
  Blocks<RankPair, RankMatch> blocks(
      run.context, &progress,
      [&](unsigned number, const RankPair& pair) {
        PairWorker& worker = workers.get(number, run, plan, share);
        RankMatch match{.pair = pair};
        const DocId earlier = ranks.document(pair.earlier);
        const DocId later = ranks.document(pair.later);
        if (overrides.separates(earlier, later)) return match;
        const std::uint8_t* first = sketches.get(earlier, worker.first);
        if (!sketches.filter().may_match(first, sketches.get(later, worker.second), later)) return match;
        ++compared;
        match.similarity = worker.comparer.similarity(earlier, later);
        if (match.similarity >= run.options.threshold) match.loss = worker.comparer.loss(later, earlier);
        return match;
      },
      [&](const RankPair&, const RankMatch& match) {
        if (match.similarity < run.options.threshold) return;
        ++verified.similar;
        verified.matches += run.covers(match) ? 1 : 0;
        out.write_values(std::span<const RankMatch>(&match, 1));
      });
  run::ColumnReader<RankPair> reader(from);
  for (RankPair pair; reader.next(pair);) blocks.add(pair);
  blocks.finish();
  progress.finish();
  verified.compared = compared;
  return verified;
}

std::string pairs_name(unsigned round) {
  return round == 1 ? "candidates" : fmt::format("candidates.{}", round);
}

std::string matches_name(unsigned round) {
  return fmt::format("matches.{}", round);
}

}  // namespace

void dedup_verify(DedupRun& run) {
  const Ranks ranks = run.ranks();
  std::vector<std::filesystem::path> pairs;
  std::vector<std::filesystem::path> matches;
  std::uint64_t met = 0;
  std::uint64_t compared = 0;
  unsigned round = 1;
  RoundPlan plan(run.budget, ranks.size());
  plan.crowded =
      run::load_column<std::uint8_t>(run.dir.work("crowded"), run.budget, "the documents with many candidates");
  const bool crowded = std::find(plan.crowded.begin(), plan.crowded.end(), 1) != plan.crowded.end();
  auto kept = static_cast<double>(ranks.size());
  bool own_texts = false;  // some documents are similar but not covered
  for (; run.near != nullptr; ++round) {
    if (round > 1) {
      mark_nodes(run, ranks, plan.alive);
      MatchMerge merge(matches);
      decide_kept(run, ranks, merge, plan.alive);
      const auto now = static_cast<double>(std::count(plan.alive.begin(), plan.alive.end(), 1));
      const double before = std::exchange(kept, now);
      if (own_texts && round > kManyRounds && now > kWorthIt * before) {
        --round;  // this round did not take place
        break;
      }
      plan.round = round;
      run::RunFile out = run.dir.create_work(pairs_name(round));
      run.near->find_pairs(run, ranks, plan, pairs, out);
      out.close(false);
    }
    pairs.push_back(run.dir.work(pairs_name(round)));
    const std::string name = matches_name(round);
    run::RunFile out = run.dir.create_work(name);
    const Verified verified = verify(run, ranks, pairs.back(), out);
    met += verified.met;
    compared += verified.compared;
    own_texts = own_texts || verified.similar > verified.matches;
    out.close(false);
    matches.push_back(run.dir.work(name));
    if (!crowded || run.near->finished({.round = round, .pairs = verified.met, .matches = verified.matches}) ||
        round == kMostRounds)
      break;
  }
  run::RunFile all = run.dir.create_work("matches");
  std::uint64_t count = 0;
  MatchMerge merge(matches);
  for (RankMatch match; merge.next(match); ++count) all.write_values(std::span<const RankMatch>(&match, 1));
  run.dir.close(all);
  for (unsigned done = 1; done <= matches.size(); ++done) {
    run.dir.discard(matches_name(done));
    if (done > 1) run.dir.discard(pairs_name(done));  // those of the first round stay
  }
  run.report.candidates = met;
  run.report.compared = compared;
  run.report.matches += count;  // to the exact copies
  run.report.rounds = round;
}

void mark_nodes(DedupRun& run, const Ranks& ranks, Array<std::uint8_t>& alive) {
  run::ColumnReader<DocId> heads(run.dir.work("heads"));
  run::ColumnReader<DocState> states(run.dir.work("states"));
  DocId head = 0;
  AgainstReader against(run);
  KnownReader known(run);
  const RunOverrides& overrides = run.overrides();
  DocState state{};
  for (DocId document = 0; heads.next(head) && states.next(state); ++document) {
    const KnownHit* hit = known.find(document);
    const bool contaminated = run.against_removes() && against.find(document) != nullptr && !overrides.keeps(document);
    const bool gone = overrides.removes(document) || contaminated || (hit != nullptr && hit->removes());
    alive[ranks.rank(document)] = head == document && state == DocState::judged && !gone ? 1 : 0;
  }
}

void dedup_candidates(DedupRun& run) {
  const Ranks ranks = run.ranks();
  run::RunFile out = run.dir.create_work("candidates");
  RoundPlan plan(run.budget, ranks.size());
  if (run.near != nullptr) {
    mark_nodes(run, ranks, plan.alive);
    run.near->find_pairs(run, ranks, plan, {}, out);
  }
  run.dir.close(out);
  run::RunFile crowded = run.dir.create_work("crowded");
  crowded.write_values(std::span<const std::uint8_t>(plan.crowded.data(), plan.crowded.size()));
  run.dir.close(crowded);
}

}  // namespace refrain::verbs::dedup
