// dedup: the self-check compares the decisions with brute force.
//
// Some kept documents are compared with every other kept document that ranks better: by their signatures and,
// unless those rule out a match, by their texts. Any match found should have been a removal. Some removed documents
// are compared with their matches, by other code than that which decided.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/attachment.h"
#include "base/files/file.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/threads.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/state/compared_texts.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::uint64_t kMostComparisons = 200'000'000;           // of signatures; takes about half a second
constexpr std::uint64_t kMostCompared = std::uint64_t{8} << 30U;  // bytes of text in compared pairs
constexpr std::uint64_t kLeastSample = 20;
constexpr std::size_t kFirstOfSample = 16;  // enough to estimate the cost of the others
constexpr std::uint64_t kCheckedBlock = 4096;
constexpr std::uint64_t kDrawnBytes = 256;  // memory per document of the sample, including its signature

// The Wilson interval of a share, with 95% confidence.
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

// Draws the documents with the least values of a number that is independent of their texts.
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
  // Ordered by that number, so that the first few are a fair draw, too.
  std::vector<DocId> documents() {
    std::sort(drawn_.begin(), drawn_.end());
    std::vector<DocId> all;
    for (const auto& [ticket, document] : drawn_) all.push_back(document);
    return all;
  }

 private:
  std::size_t most_;
  std::uint64_t seed_;
  std::vector<std::pair<std::uint64_t, DocId>> drawn_;
};

// Compares removed documents with their matches again, by slow and obvious code.
class RemovalCheck {
 public:
  RemovalCheck(DedupRun& run, const text::FeaturePlan& plan, const Sketches& sketches)
      : run_(run), plan_(plan), sketches_(sketches), decided_(run.dir.work("decided")), known_(run.known_documents()) {}

  void run(const std::vector<DocId>& removed, SelfCheck& check) {
    struct Worker {
      std::unique_ptr<Sets> sets;
      std::uint64_t removals = 0;
      std::uint64_t below = 0;
    };
    std::vector<Worker> workers(run_.threads);
    const std::uint64_t room = run_.budget.available() / 2 / run_.threads;
    parallel_for(run_.threads, removed.size(), [&](unsigned number, std::size_t i) {
      throw_if_stopped(run_.context);
      Worker& worker = workers[number];
      if (!worker.sets) worker.sets = std::make_unique<Sets>(run_, plan_);
      Decision decision;
      decided_.read(removed[i] * sizeof decision, {reinterpret_cast<char*>(&decision), sizeof decision});
      if (known_ && known_->holds(decision.match) && known_->row(decision.match).there == 0) return;
      const std::optional<RankMatch> again = worker.sets->compare(removed[i], decision.match, room);
      if (!again) return;
      ++worker.removals;
      if (again->similarity < run_.options.threshold || !run_.covers(*again) || again->loss != decision.loss ||
          fingerprints_differ(decision.match, removed[i]))
        ++worker.below;
    });
    for (const Worker& worker : workers) {
      check.removals += worker.removals;
      check.below += worker.below;
    }
  }

 private:
  class Sets {
   public:
    Sets(DedupRun& run, const text::FeaturePlan& plan)
        : budget_(run.budget),
          texts_(run),
          stream_(plan),
          window_(plan.window),
          rule_(run.rule()),
          token_plan_(plan.of_tokens()),
          token_stream_(token_plan_) {}

    // Their similarity, and what is lost of `a`. Returns nullopt if the two are too long for `room`.
    std::optional<RankMatch> compare(DocId a, DocId b, std::uint64_t room) {
      const std::uint64_t bytes = texts_.bytes(a) + texts_.bytes(b);
      const std::uint64_t most = bytes * (1 + 5 * sizeof(std::uint64_t));  // at most one window per byte
      if (most > room) return std::nullopt;
      const Reservation reservation = budget_.reserve(most, "the windows of a sample");
      make(a, first_);
      make(b, second_);
      const std::vector<bool> gained = lost(second_, first_);
      make(a, first_);
      const std::vector<bool> lost_tokens = lost(first_, second_);
      RankMatch match{.pair = {}, .similarity = 1, .loss = loss(lost_tokens)};
      std::string one;
      std::string other;
      const std::string_view text = texts_.get(a, one);
      const std::string_view kept = texts_.get(b, other);
      match.loss.attachments = attachments_lost(text, kept);
      if (rule_.weighs_loss()) match.loss.heavy = is_heavy(text, kept, lost_tokens, gained) ? 1 : 0;
      sketch::compare_written(text, kept, static_cast<unsigned>(window_), rule_, written_, match.loss);
      const std::size_t common = first_.size() - own_.size();
      const std::size_t all = second_.size() + own_.size();
      if (bytes > kHeldBytes)
        for (auto* set : {&ordered_, &first_, &second_, &own_}) std::vector<std::uint64_t>().swap(*set);
      if (all != 0) match.similarity = static_cast<double>(common) / static_cast<double>(all);
      return match;
    }

   private:
    static constexpr std::uint64_t kHeldBytes = std::uint64_t{64} << 10U;

    // Which tokens of the text made last, whose windows `of` are, are in none of the windows of the other one.
    std::vector<bool> lost(const std::vector<std::uint64_t>& of, const std::vector<std::uint64_t>& other) {
      own_.clear();
      std::ranges::set_difference(of, other, std::back_inserter(own_));
      std::vector<bool> lost(ordered_.empty() ? 0 : ordered_.size() + window_ - 1, true);
      for (std::size_t i = 0; i < ordered_.size(); ++i)
        if (!std::ranges::binary_search(own_, ordered_[i]))
          for (std::size_t k = 0; k < window_; ++k) lost[i + k] = false;
      return lost;
    }
    static sketch::Loss loss(const std::vector<bool>& lost) {
      sketch::Loss loss;
      std::uint32_t run = 0;
      for (const bool one : lost) {
        run = one ? run + 1 : 0;
        loss.tokens += one ? 1 : 0;
        loss.longest = std::max(loss.longest, run);
      }
      return loss;
    }
    // Weighs what `a` loses if only `b` is kept. Counts contexts in `a` alone. Sets `many` if `a` has too many runs.
    sketch::LossWeight weigh(std::string_view a, std::string_view b, const std::vector<bool>& lost, bool& many) {
      const std::vector<std::uint64_t> tokens = tokens_of(a);
      std::vector<std::uint64_t> others = tokens_of(b);
      std::sort(others.begin(), others.end());
      sketch::LossWeight weight{.tokens = tokens.size()};
      std::map<std::uint64_t, std::set<std::pair<std::uint64_t, std::uint64_t>>> words;  // with their neighbors
      std::uint64_t quarters = 0;
      std::uint64_t run = 0;
      std::size_t runs = 0;
      for (std::size_t i = 0; i < lost.size(); ++i) {
        if (!lost[i]) {
          quarters = run = 0;
          continue;
        }
        runs += run == 0 ? 1 : 0;
        ++weight.lost;
        weight.longest = std::max(weight.longest, ++run);
        if (std::ranges::binary_search(others, tokens[i])) {
          ++quarters;
        } else {
          quarters += words.contains(tokens[i]) ? 1 : 4;
          words[tokens[i]].emplace(i == 0 ? 0 : tokens[i - 1], i + 1 == tokens.size() ? 0 : tokens[i + 1]);
        }
        weight.quarters = std::max(weight.quarters, quarters);
      }
      weight.words = words.size();
      for (const auto& [word, contexts] : words)
        if ((word & 1U) == 0)  // has no digit
          weight.contexts = std::max<std::uint64_t>(weight.contexts, contexts.size());
      many = runs >= sketch::kMostLostRuns;
      return weight;
    }
    bool is_heavy(std::string_view text, std::string_view kept, const std::vector<bool>& lost,
                  const std::vector<bool>& gained) {
      bool many = false;
      bool many_gained = false;
      sketch::LossWeight weight = weigh(text, kept, lost, many);
      const sketch::LossWeight other = weigh(kept, text, gained, many_gained);
      weight.gained = other.lost;
      weight.contexts = std::max(weight.contexts, other.contexts);
      return many || weight.is_heavy() || (many_gained && weight.longest > sketch::LossWeight::kPlainRun);
    }
    std::vector<std::uint64_t> tokens_of(std::string_view text) {
      std::vector<std::uint64_t> tokens;
      token_stream_.start(text);
      for (std::span<const std::uint64_t> features; token_stream_.next(features);)
        tokens.insert(tokens.end(), features.begin(), features.end());
      return tokens;
    }
    void make(DocId document, std::vector<std::uint64_t>& set) {
      set.clear();
      set.reserve(texts_.bytes(document));
      std::string text;
      stream_.start(texts_.get(document, text));
      for (std::span<const std::uint64_t> features; stream_.next(features);)
        set.insert(set.end(), features.begin(), features.end());
      ordered_ = set;
      if (const text::LeftOut* left_out = texts_.left_out(document)) {
        std::erase_if(set, [&](std::uint64_t window) { return left_out->contains(window); });
        if (set.empty()) set = ordered_;
      }
      std::sort(set.begin(), set.end());
      set.erase(std::unique(set.begin(), set.end()), set.end());
    }

    MemoryBudget& budget_;
    ComparedTexts texts_;
    text::FeatureStream stream_;
    const std::size_t window_;
    const sketch::MatchRule rule_;
    const text::FeaturePlan token_plan_;
    text::FeatureStream token_stream_;
    sketch::WrittenReader written_;
    std::vector<std::uint64_t> ordered_;  // the windows of the text made last, in order
    std::vector<std::uint64_t> first_;
    std::vector<std::uint64_t> second_;
    std::vector<std::uint64_t> own_;  // windows of the first that the second lacks
  };

  // Whether the fingerprints of the two are too far apart.
  bool fingerprints_differ(DocId match, DocId removed) const {
    if (!run_.near->filter_decides()) return false;
    std::vector<std::uint8_t> first;
    std::vector<std::uint8_t> second;
    return !sketches_.filter().may_match(sketches_.get(match, first), sketches_.get(removed, second), removed);
  }

  DedupRun& run_;
  const text::FeaturePlan& plan_;
  const Sketches& sketches_;
  const RandomFile decided_;
  const std::shared_ptr<const KnownDocuments> known_;  // may be null
};

// Compares kept documents of a sample with all kept documents that rank better.
class SampleCheck {
 public:
  SampleCheck(DedupRun& run, const text::FeaturePlan& plan, const Ranks& ranks, const Array<std::uint8_t>& kept,
              std::vector<DocId> sample)
      : run_(run),
        plan_(plan),
        ranks_(ranks),
        kept_(kept),
        overrides_(run.overrides()),
        sketches_(run),
        sample_(std::move(sample)),
        workers_(run.threads) {
    // Each group that is checked at once is ordered by rank.
    const auto by_rank = [&](DocId a, DocId b) { return ranks_.rank(a) < ranks_.rank(b); };
    for (std::size_t first = 0, last = 0; first < sample_.size(); first = last)
      std::sort(sample_.begin() + static_cast<std::ptrdiff_t>(first),
                sample_.begin() + static_cast<std::ptrdiff_t>(last = next(first)), by_rank);
    std::vector<std::uint8_t> scratch;
    for (const DocId document : sample_) {
      const std::uint8_t* sketch = sketches_.get(document, scratch);
      signatures_.insert(signatures_.end(), sketch, sketch + sketches_.width());
    }
    for (Worker& worker : workers_) worker.missed.resize(sample_.size());
  }

  // Checks part of the sample, then more, as long as it does not cost too much: among documents that are all alike,
  // every pair must be compared.
  void run() {
    const std::uint64_t text_bytes = run_.report.read.text_bytes;
    const std::uint64_t pair_bytes = 2 * text_bytes / std::max<std::uint64_t>(kept_.size(), 1) + 1;
    std::uint64_t compared = 0;
    while (checked_ < sample_.size()) {
      const std::uint64_t before = compared;
      compared += compare_batch(checked_, next(checked_));
      checked_ = next(checked_);
      if ((compared + 2 * (compared - before)) * pair_bytes > kMostCompared) break;
    }
  }

  std::uint64_t checked() const { return checked_; }
  std::uint64_t missed() const {
    std::uint64_t count = 0;
    for (std::size_t s = 0; s < checked_; ++s)
      count +=
          std::any_of(workers_.begin(), workers_.end(), [&](const Worker& worker) { return worker.missed[s] != 0; });
    return count;
  }
  const Sketches& sketches() const { return sketches_; }

 private:
  struct Worker {
    std::vector<std::uint8_t> scratch;
    std::vector<std::uint32_t> places;
    std::vector<std::uint8_t> missed;  // by index into the sample
    std::unique_ptr<DocumentComparer> documents;
    std::uint64_t pairs = 0;
  };

  // The end of the group that begins at `first`. The sample checked so far about doubles with each group.
  std::size_t next(std::size_t first) const { return std::min(sample_.size(), 2 * first + kFirstOfSample); }

  // Checks the documents from `first` to `last` of the sample. Returns how many pairs their sketches did not rule
  // out.
  std::uint64_t compare_batch(std::size_t first, std::size_t last) {
    const std::uint64_t count = kept_.size();
    Progress progress(run_.context, "check", "documents", count);
    parallel_for(run_.threads, static_cast<std::size_t>((count + kCheckedBlock - 1) / kCheckedBlock),
                 [&](unsigned number, std::size_t block) {
                   throw_if_stopped(run_.context);
                   Worker& worker = workers_[number];
                   if (!worker.documents)
                     worker.documents =
                         std::make_unique<DocumentComparer>(run_, plan_, run_.budget.available() / 4 / run_.threads);
                   const std::uint64_t end = std::min(count, (block + 1) * kCheckedBlock);
                   for (DocId document = block * kCheckedBlock; document < end; ++document)
                     if (kept_[document] != 0) compare_batch(worker, document, first, last);
                   progress.add(end - block * kCheckedBlock);
                 });
    progress.finish();
    std::uint64_t pairs = 0;
    for (Worker& worker : workers_) pairs += std::exchange(worker.pairs, 0);
    return pairs;
  }

  void compare_batch(Worker& worker, DocId document, std::size_t first, std::size_t last) const {
    const std::uint64_t rank = ranks_.rank(document);
    first = static_cast<std::size_t>(std::partition_point(sample_.begin() + static_cast<std::ptrdiff_t>(first),
                                                          sample_.begin() + static_cast<std::ptrdiff_t>(last),
                                                          [&](DocId later) { return ranks_.rank(later) <= rank; }) -
                                     sample_.begin());
    worker.places.clear();
    sketches_.filter().may_match(sketches_.get(document, worker.scratch),
                                 signatures_.data() + first * sketches_.width(),
                                 std::span(sample_).subspan(first, last - first), worker.places);
    worker.pairs += worker.places.size();
    for (const std::uint32_t place : worker.places) {
      const DocId later = sample_[first + place];
      sketch::Comparer& comparer = worker.documents->comparer;
      if (worker.missed[first + place] == 0 && !overrides_.separates(later, document) &&
          comparer.similarity(later, document) >= run_.options.threshold && run_.covers(comparer.loss(later, document)))
        worker.missed[first + place] = 1;
    }
  }

  DedupRun& run_;
  const text::FeaturePlan& plan_;
  const Ranks& ranks_;
  const Array<std::uint8_t>& kept_;
  const RunOverrides& overrides_;
  const Sketches sketches_;
  std::vector<DocId> sample_;
  std::vector<std::uint8_t> signatures_;
  std::vector<Worker> workers_;
  std::size_t checked_ = 0;
};

}  // namespace

void dedup_check(DedupRun& run) {
  const std::uint64_t count = run.documents();
  SelfCheck check;
  std::uint64_t judged = 0;
  const std::uint64_t removed = run.report.removed_near;
  if (run.near != nullptr && run.options.sample != 0) {
    const Ranks ranks = run.ranks();
    const text::FeaturePlan plan(run.options.windows);
    const std::uint64_t size =
        std::min(run.options.sample, std::max(kLeastSample, kMostComparisons / std::max<std::uint64_t>(count, 1)));
    Array<std::uint8_t> kept(run.budget, "the kept documents", count);
    const std::uint64_t drawn = std::min(run.options.sample, count);
    const Reservation reservation =
        run.budget.reserve(drawn * kDrawnBytes, "the sample (a smaller `sample` needs less)");
    Draw from_kept(size, run.options.windows.seed);
    Draw from_removed(run.options.sample, run.options.windows.seed);
    {
      const RunOverrides& overrides = run.overrides();
      run::ColumnReader<Decision> decisions(run.dir.work("decided"));
      run::ColumnReader<DocState> states(run.dir.work("states"));
      Decision decision;
      DocState state{};
      for (DocId document = 0; decisions.next(decision) && states.next(state); ++document) {
        kept[document] = decision.kept() && state == DocState::judged;
        judged += kept[document];
        if (kept[document] != 0 && !overrides.pins(document)) from_kept.offer(document);
        if (decision.is(Reason::near)) from_removed.offer(document);
      }
    }
    SampleCheck sample(run, plan, ranks, kept, from_kept.documents());
    sample.run();
    check.sampled = sample.checked();
    check.missed = sample.missed();

    RemovalCheck(run, plan, sample.sketches()).run(from_removed.documents(), check);
  }
  // Extrapolates the share of kept documents that should have been removed to all kept documents.
  const auto recall = [&](double share) {
    const double missing = share * static_cast<double>(judged);
    return removed == 0 && missing == 0 ? 1.0 : static_cast<double>(removed) / (static_cast<double>(removed) + missing);
  };
  const Interval missed = wilson(check.missed, check.sampled);
  if (check.sampled != 0) check.recall = recall(static_cast<double>(check.missed) / static_cast<double>(check.sampled));
  check.recall_low = recall(missed.high);
  check.recall_high = recall(missed.low);
  check.below_high = wilson(check.below, check.removals).high;
  run.report.check = check;
}

}  // namespace refrain::verbs::dedup
