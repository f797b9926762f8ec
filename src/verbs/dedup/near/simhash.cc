// SimHash: documents meet if their fingerprints differ in at most options.distance bits.
//
// A document that is near many others is paired with the best-ranked of them; the next round considers all of them
// again. If several documents have the same fingerprint, the few best-ranked ones meet the documents near them.
#include "engines/sketch/simhash.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "refrain/error.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/near/pairs.h"
#include "verbs/join/join.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

namespace {

constexpr const char* kColumn = "fingerprints";
constexpr std::uint64_t kMostOfLater = 16;  // per document and round

struct Node {
  std::uint64_t fingerprint;
  std::uint64_t rank;
  friend auto operator<=>(const Node&, const Node&) = default;
};

class SimHashSketcher : public Sketcher {
 public:
  void start() override { counter_ = {}; }
  void add(std::span<const std::uint64_t> features) override { counter_.add(features); }
  void finish(std::uint8_t* values) override {
    const std::uint64_t fingerprint = counter_.fingerprint(false);
    std::memcpy(values, &fingerprint, sizeof fingerprint);
  }

 private:
  sketch::SimHashCounter counter_;
};

class SimHashFilter : public SketchFilter {
 public:
  SimHashFilter(DedupRun& run, unsigned distance, unsigned close, std::uint64_t short_bytes)
      : distance_(distance),
        close_(close),
        short_bytes_(short_bytes),
        text_ends_(run.budget, "the lengths of the texts") {
    if (close_ < distance_)
      text_ends_ = run::load_column<std::uint64_t>(run.dir.work("text_ends"), run.budget, "the lengths of the texts");
  }

  bool may_match(const std::uint8_t* earlier, const std::uint8_t* later, DocId document) const override {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::memcpy(&first, earlier, sizeof first);
    std::memcpy(&second, later, sizeof second);
    const auto difference = static_cast<unsigned>(std::popcount(first ^ second));
    if (difference <= close_ || difference > distance_) return difference <= distance_;
    return text_ends_[document] - (document == 0 ? 0 : text_ends_[document - 1]) <= short_bytes_;
  }
  void may_match(const std::uint8_t* earlier, const std::uint8_t* later_sketches, std::span<const DocId> documents,
                 std::vector<std::uint32_t>& places) const override {
    for (std::size_t i = 0; i < documents.size(); ++i)
      if (may_match(earlier, later_sketches + i * sizeof(std::uint64_t), documents[i]))
        places.push_back(static_cast<std::uint32_t>(i));
  }

 private:
  unsigned distance_;
  unsigned close_;
  std::uint64_t short_bytes_;
  Array<std::uint64_t> text_ends_;  // filled only if `close` is less than `distance`
};

class Differences : public SketchDifference {
 public:
  explicit Differences(DedupRun& run)
      : fingerprints_(run::load_column<std::uint64_t>(run.sketches(kColumn), run.budget, "the fingerprints")) {}
  std::uint64_t of(DocId first, DocId second) const override {
    return static_cast<std::uint64_t>(std::popcount(fingerprints_[first] ^ fingerprints_[second]));
  }

 private:
  Array<std::uint64_t> fingerprints_;
};

class SimHashFinder : public NearFinder {
 public:
  explicit SimHashFinder(const DedupOptions& options)
      : distance_(options.distance), close_(options.close), short_bytes_(options.short_bytes) {
    if (options.distance > 63) throw Error(Errc::invalid_argument, "`distance`: must be from 0 to 63");
  }

  std::string identity() const override { return {}; }  // its options say it all

  std::vector<SketchColumn> columns() const override { return {{kColumn, sizeof(std::uint64_t)}}; }
  std::unique_ptr<Sketcher> sketcher() const override { return std::make_unique<SimHashSketcher>(); }
  std::optional<cuda::SketchRule> device_rule(const FingerprintOptions& windows, std::string& why) const override {
    std::optional<cuda::SketchRule> rule = cuda::sketch_rule(windows, why);
    if (rule) rule->tie_sets_bit = false;  // in this method, a tie never sets the bit
    return rule;
  }

  void find_pairs(DedupRun& run, const Ranks& ranks, RoundPlan& plan, const std::vector<std::filesystem::path>& known,
                  run::RunFile& out) const override;
  // Rounds continue until no new pairs meet, unless documents have text of their own (find/verify.cc).
  bool finished(const RoundResult& result) const override { return result.pairs == 0; }

  std::unique_ptr<SketchFilter> filter(DedupRun& run) const override {
    return std::make_unique<SimHashFilter>(run, distance_, close_, short_bytes_);
  }
  bool filter_decides() const override { return true; }

  std::unique_ptr<SketchDifference> difference(DedupRun& run) const override {
    return std::make_unique<Differences>(run);
  }

 private:
  const unsigned distance_;
  const unsigned close_;  // with more differing bits, only a short text may match
  const std::uint64_t short_bytes_;
};

void SimHashFinder::find_pairs(DedupRun& run, const Ranks& ranks, RoundPlan& plan,
                               const std::vector<std::filesystem::path>& known, run::RunFile& out) const {
  Pairs pairs(pair_options(run, ranks.size()), run.budget);
  std::vector<Pairs::Writer> writers;
  for (unsigned i = 0; i < run.threads; ++i) writers.push_back(pairs.writer());
  // Documents with equal fingerprints are one node of the join.
  Array<Node> nodes(run.budget, "the fingerprints");
  {
    run::ColumnReader<std::uint64_t> fingerprints(run.sketches(kColumn));
    std::uint64_t fingerprint = 0;
    for (DocId document = 0; fingerprints.next(fingerprint); ++document)
      if (plan.alive[ranks.rank(document)] != 0) nodes.push_back({fingerprint, ranks.rank(document)});
  }
  std::sort(nodes.begin(), nodes.end());
  Array<std::uint64_t> distinct(run.budget, "the fingerprints");
  Array<std::uint64_t> begins(run.budget, "the fingerprints");  // index of each in `nodes`, and the end
  Group<Node> group(plan.round);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool first = i == 0 || nodes[i].fingerprint != nodes[i - 1].fingerprint;
    group.add(
        nodes[i], first,
        [&](std::uint64_t later, std::uint64_t earlier) {
          writers[0].add({later, earlier});
        },
        [](const Node&) {});
    plan.crowded[nodes[i].rank] = 1;
    if (!first) continue;
    distinct.push_back(nodes[i].fingerprint);
    begins.push_back(i);
  }
  begins.push_back(nodes.size());
  // The nodes that represent a fingerprint: the few best-ranked ones.
  const auto representatives = [&](std::uint64_t fingerprint) {
    const auto at =
        static_cast<std::size_t>(std::lower_bound(distinct.begin(), distinct.end(), fingerprint) - distinct.begin());
    const auto begin = static_cast<std::size_t>(begins[at]);
    return std::span<const Node>(nodes.data() + begin,
                                 std::min(static_cast<std::size_t>(begins[at + 1]) - begin, kSmallGroup));
  };
  join::join_fingerprints(
      {distinct.data(), distinct.size()}, {.distance = distance_}, run.options.device, run.context, run.budget,
      [&](unsigned worker, std::uint64_t a, std::uint64_t b) {
        for (const Node& one : representatives(a))
          for (const Node& other : representatives(b))
            writers[worker].add({std::max(one.rank, other.rank), std::min(one.rank, other.rank)});
      },
      run.report.device);
  writers.clear();
  list_pairs(run, pairs, known, out, kMostOfLater);
}

}  // namespace

std::unique_ptr<NearFinder> make_simhash(const DedupOptions& options, const std::optional<Bands>& /*bands*/) {
  return std::make_unique<SimHashFinder>(options);
}

}  // namespace refrain::verbs::dedup
