// MinHash: documents meet if all lanes in a band of their signatures are equal.
//
// In a small group, all documents meet. In a larger one, each document meets the best-ranked, the two before it,
// and those that it also meets in another band, which is a different one in every round; from the second round on,
// it also meets more of the best-ranked (near/pairs.h).
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/files/file.h"
#include "base/progress.h"
#include "base/threads.h"
#include "engines/matching/bands.h"
#include "engines/sketch/minhash.h"
#include "refrain/version.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/near/pairs.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::size_t kPieceDocuments = std::size_t{1} << 16;  // per task of a worker
constexpr unsigned kLeastRounds = 3;  // for crowds: each round takes their documents in another order

std::string band_name(unsigned band) {
  return fmt::format("bands.{}", band);
}

// A document in a group of a band; `other` is its key in another band.
struct Entry {
  std::uint32_t key;
  std::uint32_t other;
  std::uint64_t rank;
  friend bool operator<(const Entry& a, const Entry& b) { return a.rank < b.rank; }
};
struct KeyOfEntry {
  std::uint64_t operator()(const Entry& entry) const { return entry.key; }
};
using Entries = store::Shuffle<Entry, KeyOfEntry>;

class Round {
 public:
  Round(DedupRun& run, const Ranks& ranks, RoundPlan& plan)
      : run_(run), ranks_(ranks), plan_(plan), pairs_(pair_options(run, ranks.size()), run.budget) {
    for (unsigned i = 0; i < run.threads; ++i) writers_.push_back(pairs_.writer());
  }

  // The workers of a band: context.threads of them, numbered from `first` among all workers of the round.
  struct Team {
    Context context;
    unsigned first = 0;
    unsigned size() const { return context.threads; }
  };

  // How many bands to process at once. If they fit into memory, each band is processed by one worker, otherwise one
  // after the other by all workers.
  unsigned at_once(unsigned bands) const {
    constexpr std::uint64_t kShare = 4;  // fraction of the available memory
    const std::uint64_t each = 3 * sizeof(Entry) * ranks_.size() + (std::uint64_t{1} << 20U);
    const std::uint64_t fit = run_.budget.available() / kShare / each;
    return fit < run_.threads || bands < run_.threads ? 1 : run_.threads;
  }

  void band(unsigned band, unsigned other, const Team& team) {
    Entries entries(options(team), run_.budget);
    Entries crowds(options(team), run_.budget);
    fill(entries, band, other, team);
    {
      std::vector<Entries::Writer> aside;
      for (unsigned i = 0; i < team.size(); ++i) aside.push_back(crowds.writer());
      for_each_group(entries, team, [&](unsigned worker, const Entry& entry) {
        aside[worker].add({crowd_key(entry.key, entry.other), 0, entry.rank});
        // Within a band, a document is in one group only, but other bands may mark it at the same time.
        std::atomic_ref(plan_.crowded[entry.rank]).store(1, std::memory_order_relaxed);
      });
    }
    for_each_group(crowds, team, [](unsigned, const Entry&) {});
  }

  void list(const std::vector<std::filesystem::path>& known, run::RunFile& out) {
    writers_.clear();
    list_pairs(run_, pairs_, known, out);
  }

 private:
  void fill(Entries& entries, unsigned band, unsigned other, const Team& team) {
    struct Worker {
      Entries::Writer writer;
      std::vector<std::uint32_t> keys;
      std::vector<std::uint32_t> others;
    };
    std::vector<Worker> workers;
    for (unsigned i = 0; i < team.size(); ++i) workers.push_back({entries.writer(), {}, {}});
    const RandomFile keys(run_.sketches(band_name(band)));
    const RandomFile others(run_.sketches(band_name(other)));
    const auto read = [](const RandomFile& file, std::size_t first, std::vector<std::uint32_t>& values) {
      file.read(first * sizeof(std::uint32_t),
                {reinterpret_cast<char*>(values.data()), values.size() * sizeof(std::uint32_t)});
    };
    const std::size_t documents = ranks_.size();
    parallel_for(team.size(), (documents + kPieceDocuments - 1) / kPieceDocuments,
                 [&](unsigned number, std::size_t piece) {
                   throw_if_stopped(run_.context);
                   Worker& worker = workers[number];
                   const std::size_t first = piece * kPieceDocuments;
                   worker.keys.resize(std::min(kPieceDocuments, documents - first));
                   worker.others.resize(worker.keys.size());
                   read(keys, first, worker.keys);
                   read(others, first, worker.others);
                   for (std::size_t i = 0; i < worker.keys.size(); ++i) {
                     const std::uint64_t rank = ranks_.rank(first + i);
                     if (takes_part(rank)) worker.writer.add({worker.keys[i], worker.others[i], rank});
                   }
                 });
  }

  // From the second round on, only documents in crowds take part.
  bool takes_part(std::uint64_t rank) const {
    return plan_.alive[rank] != 0 &&
           (plan_.round == 1 || std::atomic_ref(plan_.crowded[rank]).load(std::memory_order_relaxed) != 0);
  }

  store::ShuffleOptions options(const Team& team) {
    return {.what = "the documents of a band",
            .key_bits = 32,
            .expected_records = ranks_.size(),
            .order_values = true,
            .temp = &run_.temp,
            .memory_bytes = run_.budget.available() / 3 * team.size() / run_.threads};
  }

  template <class Large>
  void for_each_group(const Entries& entries, const Team& team, Large large) {
    std::vector<Group<Entry>> groups(team.size(), Group<Entry>(plan_.round));
    entries.for_each_run(team.context, [&](unsigned worker, std::size_t, const store::Run<Entry>& records) {
      bool first = records.first;
      for (const Entry& entry : records.records) {
        groups[worker].add(
            entry, first,
            [&](std::uint64_t later, std::uint64_t earlier) {
              writers_[team.first + worker].add({later, earlier});
            },
            [&](const Entry& one) { large(worker, one); });
        first = false;
      }
    });
  }

  DedupRun& run_;
  const Ranks& ranks_;
  RoundPlan& plan_;
  Pairs pairs_;
  std::vector<Pairs::Writer> writers_;
};

class MinHashSketcher : public Sketcher {
 public:
  MinHashSketcher(const sketch::MinHash& minhash, const matching::Bands& bands)
      : minhash_(minhash), bands_(bands), signature_(minhash.lanes()), keys_(bands.bands) {}

  void start() override { minhash_.start(signature_.data()); }
  void add(std::span<const std::uint64_t> features) override { minhash_.add(features, signature_.data()); }
  void finish(std::uint8_t* values) override {
    for (const std::uint32_t lane : signature_) *values++ = static_cast<std::uint8_t>(lane);
    matching::band_keys(bands_, signature_, keys_.data());
    std::memcpy(values, keys_.data(), keys_.size() * sizeof(std::uint32_t));
  }

 private:
  const sketch::MinHash& minhash_;
  const matching::Bands& bands_;
  std::vector<std::uint32_t> signature_;
  std::vector<std::uint32_t> keys_;
};

class MinHashFilter : public SketchFilter {
 public:
  MinHashFilter(unsigned lanes, double threshold) : lanes_(lanes), least_(sketch::least_equal(threshold, lanes)) {}

  bool may_match(const std::uint8_t* earlier, const std::uint8_t* later, DocId /*document*/) const override {
    return sketch::equal_bytes(earlier, later, lanes_) >= least_;
  }
  void may_match(const std::uint8_t* earlier, const std::uint8_t* later_sketches, std::span<const DocId> documents,
                 std::vector<std::uint32_t>& places) const override {
    sketch::find_equal_bytes(earlier, later_sketches, documents.size(), lanes_, least_, places);
  }

 private:
  unsigned lanes_;
  unsigned least_;
};

class MinHashFinder : public NearFinder {
 public:
  MinHashFinder(const DedupOptions& options, const std::optional<Bands>& bands)
      : minhash_(options.lanes, options.windows.seed),
        bands_(bands ? *bands : matching::choose_bands(options.threshold, options.recall, options.lanes)),
        threshold_(options.threshold) {}

  std::string identity() const override {
    return fmt::format("minhash {} lanes {} bands {} rows {}\n", kMinHashVersion, minhash_.lanes(), bands_.bands,
                       bands_.rows);
  }

  std::vector<SketchColumn> columns() const override {
    std::vector<SketchColumn> columns = {{"lanes", minhash_.lanes()}};  // the low byte of each lane
    for (unsigned band = 0; band < bands_.bands; ++band) columns.push_back({band_name(band), sizeof(std::uint32_t)});
    return columns;
  }
  std::unique_ptr<Sketcher> sketcher() const override { return std::make_unique<MinHashSketcher>(minhash_, bands_); }
  std::optional<cuda::SketchRule> device_rule(const FingerprintOptions& windows, std::string& why) const override {
    std::optional<cuda::SketchRule> rule = cuda::sketch_rule(windows, why);
    if (!rule) return rule;
    if (windows.hash != HashKind::xxh3)
      why = "`hash`: for MinHash the GPU knows xxh3";
    else if (minhash_.lanes() != cuda::kSignatureLanes)
      why = fmt::format("`lanes`: the GPU makes {}", cuda::kSignatureLanes);
    if (!why.empty()) return std::nullopt;
    rule->factors = minhash_.factors();
    rule->addends = minhash_.addends();
    rule->bands = bands_.bands;
    rule->rows = bands_.rows;
    return rule;
  }

  void find_pairs(DedupRun& run, const Ranks& ranks, RoundPlan& plan, const std::vector<std::filesystem::path>& known,
                  run::RunFile& out) const override {
    const unsigned bands = bands_.bands;
    Round round(run, ranks, plan);
    Progress progress(run.context, "near", "bands", bands);
    const unsigned at_once = round.at_once(bands);
    parallel_for(at_once, bands, [&](unsigned worker, std::size_t item) {
      const auto band = static_cast<unsigned>(item);
      Round::Team team{run.context, worker};
      team.context.threads = at_once == 1 ? run.threads : 1;
      round.band(band, other_band(band, bands, plan.round), team);
      progress.add(1);
    });
    progress.finish();
    round.list(known, out);
  }
  // In crowds, some pairs never meet.
  bool finished(const RoundResult& result) const override {
    return result.matches == 0 && result.round >= kLeastRounds;
  }

  std::unique_ptr<SketchFilter> filter(DedupRun& /*run*/) const override {
    return std::make_unique<MinHashFilter>(minhash_.lanes(), threshold_);
  }
  bool filter_decides() const override { return false; }

  void fill(DedupReport& report) const override {
    report.bands = bands_.bands;
    report.rows = bands_.rows;
  }

 private:
  const sketch::MinHash minhash_;
  const matching::Bands bands_;
  const double threshold_;
};

}  // namespace

std::unique_ptr<NearFinder> make_minhash(const DedupOptions& options, const std::optional<Bands>& bands) {
  return std::make_unique<MinHashFinder>(options, bands);
}

}  // namespace refrain::verbs::dedup
