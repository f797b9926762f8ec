// dedup: the run holds itself against brute force.
//
// Some kept documents are compared with every other kept one that ranks better, by their signatures, and where those do
// not rule it out by their texts; a match among them should have been a removal. And some removed ones are compared
// with what they were removed for, by other code than the one that decided.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "base/mix.h"
#include "base/progress.h"
#include "base/threads.h"
#include "pipeline/column.h"
#include "pipeline/dedup_run.h"
#include "pipeline/dedup_similarity.h"

namespace refrain {

namespace {

constexpr std::uint64_t kMostComparisons = 200'000'000;  // of signatures: about a second
constexpr std::uint64_t kLeastSample = 20;
constexpr std::uint64_t kBlock = 4096;

// Wilson's interval of a share, 95 %.
struct Interval {
  double low;
  double high;
};
Interval wilson(std::uint64_t found, std::uint64_t of) {
  if (of == 0) return {0, 1};
  constexpr double z = 1.96;
  const auto n = static_cast<double>(of);
  const double p = static_cast<double>(found) / n;
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {found == 0 ? 0 : std::max(0.0, middle - half), found == of ? 1 : std::min(1.0, middle + half)};
}

// The documents that have the least of some number that has nothing to do with them.
class Draw {
 public:
  Draw(std::uint64_t most, std::uint64_t seed) : most_(static_cast<std::size_t>(most)), seed_(seed) {}
  void offer(DocId document) {
    if (most_ == 0) return;
    const std::uint64_t ticket =
        mix(document + 1 + seed_ * 0x9E3779B97F4A7C15ULL, 0xBF58476D1CE4E5B9ULL, 0x94D049BB133111EBULL);
    if (drawn_.size() == most_ && ticket >= drawn_.front().first) return;
    drawn_.emplace_back(ticket, document);
    std::push_heap(drawn_.begin(), drawn_.end());
    if (drawn_.size() <= most_) return;
    std::pop_heap(drawn_.begin(), drawn_.end());
    drawn_.pop_back();
  }
  std::vector<DocId> documents() const {
    std::vector<DocId> all;
    for (const auto& [ticket, document] : drawn_) all.push_back(document);
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::size_t most_;
  std::uint64_t seed_;
  std::vector<std::pair<std::uint64_t, DocId>> drawn_;
};

// Slow and obvious. Nothing where the two are so long that there is no room for it.
std::optional<double> plain_similarity(SliceFile& texts, const FeaturePlan& plan, MemoryBudget& budget, DocId a,
                                       DocId b) {
  const ByteRange first_range = texts.range(a);
  const ByteRange second_range = texts.range(b);
  // At most a window a byte.
  const std::uint64_t most = (first_range.end - first_range.begin + second_range.end - second_range.begin) * 9 + 8192;
  if (most > budget.available()) return std::nullopt;
  const Reservation reservation = budget.reserve(most, "the windows of a sample");
  const auto set_of = [&](DocId document, const ByteRange& range) {
    std::string scratch;
    std::vector<std::uint64_t> set;
    set.reserve(range.end - range.begin);
    FeatureStream stream(plan);
    stream.start(texts.get(document, scratch));
    for (std::span<const std::uint64_t> features; stream.next(features);)
      set.insert(set.end(), features.begin(), features.end());
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    return set;
  };
  const std::vector<std::uint64_t> first = set_of(a, first_range);
  const std::vector<std::uint64_t> second = set_of(b, second_range);
  std::size_t common = 0;
  for (const std::uint64_t feature : first) common += std::binary_search(second.begin(), second.end(), feature) ? 1 : 0;
  const std::size_t all = first.size() + second.size() - common;
  return all == 0 ? 1 : static_cast<double>(common) / static_cast<double>(all);
}

}  // namespace

void dedup_check(DedupRun& run) {
  Facts& facts = run.dir.facts();
  const std::uint64_t count = run.documents();
  SelfCheck check;
  std::uint64_t judged = 0;
  const std::uint64_t removed = facts.number("removed_near");
  if (run.near() && run.options.sample != 0) {
    const Ranks ranks = run.ranks();
    const FeaturePlan plan(run.options.windows);
    const std::uint64_t size =
        std::min(run.options.sample, std::max(kLeastSample, kMostComparisons / std::max<std::uint64_t>(count, 1)));
    Array<std::uint8_t> kept(run.budget, "the documents that are kept", count);
    Draw from_kept(size, run.options.windows.seed);
    Draw from_removed(run.options.sample, run.options.windows.seed);
    {
      ColumnReader<Decision> decisions(run.dir.work("decided"));
      ColumnReader<DocState> states(run.dir.work("states"));
      Decision decision;
      DocState state{};
      for (DocId document = 0; decisions.next(decision) && states.next(state); ++document) {
        kept[document] = decision.reason == static_cast<std::uint64_t>(Reason::none) && state == DocState::judged;
        judged += kept[document];
        if (kept[document] != 0) from_kept.offer(document);
        if (decision.reason == static_cast<std::uint64_t>(Reason::near)) from_removed.offer(document);
      }
    }
    const std::vector<DocId> sample = from_kept.documents();
    const Sketches sketches(run);
    const std::size_t width = sketches.width();
    std::vector<std::uint8_t> signatures;
    std::vector<std::uint8_t> scratch;
    for (const DocId document : sample) {
      const std::uint8_t* sketch = sketches.get(document, scratch);
      signatures.insert(signatures.end(), sketch, sketch + width);
    }
    struct Worker {
      std::vector<std::uint8_t> scratch;
      std::vector<std::uint8_t> missed;  // by place in the sample
      std::unique_ptr<Similarity> similarity;
    };
    std::vector<Worker> workers(run.threads);
    Progress progress(run.context, "check", "documents", count);
    parallel_for(
        run.threads, static_cast<std::size_t>((count + kBlock - 1) / kBlock), [&](unsigned number, std::size_t block) {
          Worker& worker = workers[number];
          if (!worker.similarity) {
            worker.missed.resize(sample.size());
            worker.similarity = std::make_unique<Similarity>(run, plan, run.budget.available() / 4 / run.threads);
          }
          const std::uint64_t end = std::min(count, (block + 1) * kBlock);
          for (DocId document = block * kBlock; document < end; ++document) {
            if (kept[document] == 0) continue;
            const std::uint8_t* sketch = sketches.get(document, worker.scratch);
            for (std::size_t s = 0; s < sample.size(); ++s) {
              if (!sketches.may_match(sketch, signatures.data() + s * width, sample[s])) continue;
              if (ranks.rank(document) >= ranks.rank(sample[s]) || worker.missed[s] != 0) continue;
              if (worker.similarity->of(sample[s], document, run.options.threshold) >= run.options.threshold)
                worker.missed[s] = 1;
            }
          }
          progress.add(end - block * kBlock);
        });
    progress.finish();
    check.sampled = sample.size();
    for (std::size_t s = 0; s < sample.size(); ++s)
      check.missed += std::any_of(workers.begin(), workers.end(), [&](const Worker& worker) {
        return !worker.missed.empty() && worker.missed[s] != 0;
      });

    SliceFile texts(run.dir.work("text"), run.dir.work("text_ends"));
    RandomFile decided(run.dir.work("decided"));
    std::vector<std::uint8_t> other;
    for (const DocId document : from_removed.documents()) {
      Decision decision;
      decided.read(document * sizeof decision, {reinterpret_cast<char*>(&decision), sizeof decision});
      const std::optional<double> similarity = plain_similarity(texts, plan, run.budget, document, decision.match);
      if (!similarity) continue;
      ++check.removals;
      const bool apart =
          run.options.near == NearMethod::simhash &&
          !sketches.may_match(sketches.get(decision.match, scratch), sketches.get(document, other), document);
      check.wrongful += *similarity < run.options.threshold || apart ? 1 : 0;
    }
  }
  // Of so many kept documents so many should not be: what does that make of all?
  const auto recall = [&](double share) {
    const double missing = share * static_cast<double>(judged);
    return removed == 0 && missing == 0 ? 1.0 : static_cast<double>(removed) / (static_cast<double>(removed) + missing);
  };
  const Interval missed = wilson(check.missed, check.sampled);
  facts.set("check.sampled", check.sampled);
  facts.set("check.missed", check.missed);
  facts.set("check.removals", check.removals);
  facts.set("check.wrongful", check.wrongful);
  facts.set("check.recall",
            check.sampled == 0 ? 1.0 : recall(static_cast<double>(check.missed) / static_cast<double>(check.sampled)));
  facts.set("check.recall_low", recall(missed.high));
  facts.set("check.recall_high", recall(missed.low));
  facts.set("check.wrongful_high", wilson(check.wrongful, check.removals).high);
}

}  // namespace refrain
