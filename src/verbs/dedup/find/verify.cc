// dedup: compares the texts of candidate pairs and decides who is kept; kept documents then meet again, until there
// is no new match.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "base/files/path.h"
#include "base/progress.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "verbs/dedup/against/reader.h"
#include "verbs/dedup/find/decide.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/find/similarity.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/near/sketches.h"
#include "verbs/dedup/state/known_documents.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::size_t kBlockPairs = std::size_t{1} << 16;  // held in memory at once
constexpr std::size_t kPiecePairs = 512;                   // pairs per task of a worker
constexpr unsigned kMostRounds = 64;
// If similar documents have text of their own, a removed document may come back when the one it was removed for is
// removed. So after this many rounds, a round is the last if it leaves more than kWorthIt of what was kept before
// it.
constexpr unsigned kManyRounds = 8;
constexpr double kWorthIt = 0.9;

class Verifier {
 public:
  explicit Verifier(DedupRun& run, const Ranks& ranks)
      : run_(run), ranks_(ranks), plan_(run.options.windows), sketches_(run) {
    const std::uint64_t share = run.budget.available() / 2 / run.threads;
    for (unsigned i = 0; i < run.threads; ++i) workers_.push_back(std::make_unique<Worker>(run, plan_, share));
  }

  // Writes the pairs that are similar. Returns how many of them match, which means that little would be lost.
  std::uint64_t verify(const std::filesystem::path& from, run::RunFile& out) {
    run::ColumnReader<RankPair> reader(from);
    const std::uint64_t total = file_bytes(from) / sizeof(RankPair);
    Progress progress(run_.context, "verify", "pairs", total);
    std::vector<RankPair> pairs;
    std::vector<RankMatch> found;
    std::uint64_t count = 0;
    for (bool more = true; more;) {
      pairs.clear();
      RankPair pair;
      while (pairs.size() < kBlockPairs && (more = reader.next(pair))) pairs.push_back(pair);
      found.resize(pairs.size());
      parallel_for(run_.threads, (pairs.size() + kPiecePairs - 1) / kPiecePairs,
                   [&](unsigned worker, std::size_t piece) {
                     throw_if_stopped(run_.context);
                     const std::size_t end = std::min(pairs.size(), (piece + 1) * kPiecePairs);
                     for (std::size_t i = piece * kPiecePairs; i < end; ++i)
                       found[i] = compare(*workers_[worker], pairs[i]);
                     progress.add(end - piece * kPiecePairs);
                   });
      std::erase_if(found, [&](const RankMatch& match) { return match.similarity < run_.options.threshold; });
      similar_ += found.size();
      count += static_cast<std::uint64_t>(
          std::count_if(found.begin(), found.end(), [&](const RankMatch& match) { return run_.covers(match); }));
      out.write_values(std::span<const RankMatch>(found));
    }
    progress.finish();
    met_ += total;
    return count;
  }

  std::uint64_t met() const { return met_; }
  std::uint64_t similar() const { return similar_; }
  std::uint64_t compared() const {
    std::uint64_t sum = 0;
    for (const auto& worker : workers_) sum += worker->compared;
    return sum;
  }

 private:
  struct Worker {
    Worker(DedupRun& run, const text::FeaturePlan& plan, std::uint64_t memory) : similarity(run, plan, memory) {}
    Similarity similarity;
    std::vector<std::uint8_t> first;
    std::vector<std::uint8_t> second;
    std::uint64_t compared = 0;
  };

  RankMatch compare(Worker& worker, const RankPair& pair) const {
    const DocId earlier = ranks_.document(pair.earlier);
    const DocId later = ranks_.document(pair.later);
    const std::uint8_t* first = sketches_.get(earlier, worker.first);
    if (!sketches_.filter().may_match(first, sketches_.get(later, worker.second), later)) return {pair};
    ++worker.compared;
    RankMatch match{pair, worker.similarity.of(earlier, later, run_.options.threshold)};
    if (match.similarity >= run_.options.threshold) match.loss = worker.similarity.loss(later, earlier);
    return match;
  }

  DedupRun& run_;
  const Ranks& ranks_;
  const text::FeaturePlan plan_;
  const Sketches sketches_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::uint64_t met_ = 0;
  std::uint64_t similar_ = 0;
};

std::string pairs_name(unsigned round) {
  return round == 1 ? "candidates" : fmt::format("candidates.{}", round);
}

std::string matches_name(unsigned round) {
  return fmt::format("matches.{}", round);
}

// Marks the documents that are compared at all: the first of each text, if it can be judged and is not removed
// anyway.
void mark_nodes(DedupRun& run, const Ranks& ranks, Array<std::uint8_t>& alive) {
  run::ColumnReader<DocId> heads(run.dir.work("heads"));
  run::ColumnReader<DocState> states(run.dir.work("states"));
  DocId head = 0;
  AgainstReader against(run);
  KnownReader known(run);
  DocState state{};
  for (DocId document = 0; heads.next(head) && states.next(state); ++document) {
    const KnownHit* hit = known.find(document);
    const bool gone =
        (run.against_removes() && against.find(document) != nullptr) || (hit != nullptr && hit->removes());
    alive[ranks.rank(document)] = head == document && state == DocState::judged && !gone ? 1 : 0;
  }
}

}  // namespace

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
      decide_kept(run, merge, plan.alive);
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
    RoundResult result{.round = round};
    {
      Verifier verifier(run, ranks);
      result.matches = verifier.verify(pairs.back(), out);
      result.pairs = verifier.met();
      compared += verifier.compared();
      own_texts = own_texts || verifier.similar() > result.matches;
    }
    met += result.pairs;
    out.close(false);
    matches.push_back(run.dir.work(name));
    if (!crowded || run.near->finished(result) || round == kMostRounds) break;
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
  run.dir.facts().put(VerifyFacts{.candidates = met, .compared = compared, .matches = count, .rounds = round});
}

}  // namespace refrain::verbs::dedup
