#include "verbs/dedup/find/pairs.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/mix.h"
#include "base/progress.h"
#include "base/threads.h"
#include "engines/matching/hamming_join.h"
#include "verbs/dedup/find/find.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::size_t kHeldPairs = 8192;    // that are written at a time
constexpr std::uint64_t kMostOfLater = 16;  // simhash: pairs that a document gets in a round
constexpr std::size_t kAll = 8;             // of a group of so many, all pairs
constexpr std::size_t kPredecessors = 2;    // with which each document of a larger one is paired

// A document in a group of a band; `other` is its key in the next one.
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

struct LaterOfPair {
  std::uint64_t operator()(const RankPair& pair) const { return pair.later; }
};
using Pairs = store::Shuffle<RankPair, LaterOfPair>;

// A group as it comes by, in order of rank.
class Group {
 public:
  // Calls pair(later, earlier); large(entry) for each of a group of more than kAll.
  template <class Pair, class Large>
  void add(const Entry& entry, bool first, Pair pair, Large large) {
    if (first) few_.clear(), at_ = count_ = 0;
    if (few_.size() < kAll) {
      for (const Entry& before : few_) pair(entry.rank, before.rank);
      few_.push_back(entry);
    } else {
      if (count_ == kAll) {
        for (const Entry& before : few_) large(before);
        for (std::size_t i = 0; i < kPredecessors; ++i) last_[i] = few_[kAll - kPredecessors + i].rank;
      }
      pair(entry.rank, few_.front().rank);
      for (std::uint64_t& before : last_)
        if (before != few_.front().rank) pair(entry.rank, before);
      last_[at_++ % kPredecessors] = entry.rank;
      large(entry);
    }
    ++count_;
  }

 private:
  std::vector<Entry> few_;
  std::uint64_t last_[kPredecessors] = {};
  std::size_t at_ = 0;
  std::size_t count_ = 0;
};

store::ShuffleOptions pair_options(DedupRun& run, std::uint64_t documents) {
  return {.what = "the pairs that met",
          .key_bits = static_cast<unsigned>(std::bit_width(documents | 1)),
          .expected_records = static_cast<std::size_t>(documents),
          .order_values = true,
          .temp = &run.temp,
          .memory_bytes = run.budget.available() / 3};
}

struct FingerprintNode {
  std::uint64_t fingerprint;
  std::uint64_t rank;
  friend auto operator<=>(const FingerprintNode&, const FingerprintNode&) = default;
};

// Ascending, each once, without the known ones; of what is left with the same later document no more than `most`.
void list_pairs(DedupRun& run, Pairs& pairs, const std::vector<std::filesystem::path>& known, run::RunFile& out,
                std::uint64_t most = ~std::uint64_t{0}) {
  std::vector<std::unique_ptr<run::ColumnReader<RankPair>>> before;
  std::vector<RankPair> next;
  for (const std::filesystem::path& path : known) {
    before.push_back(std::make_unique<run::ColumnReader<RankPair>>(path));
    next.emplace_back();
    if (!before.back()->next(next.back())) before.pop_back(), next.pop_back();
  }
  const auto is_known = [&](const RankPair& pair) {
    bool found = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
      bool more = true;
      while (more && next[i] < pair) more = before[i]->next(next[i]);
      if (!more) {
        before.erase(before.begin() + static_cast<std::ptrdiff_t>(i));
        next.erase(next.begin() + static_cast<std::ptrdiff_t>(i--));
      } else if (next[i] == pair) {
        found = true;
      }
    }
    return found;
  };
  Context in_order = run.context;
  in_order.threads = 1;
  std::vector<RankPair> held;
  std::uint64_t of_later = 0;
  RankPair last{~std::uint64_t{0}, 0};
  pairs.drain(in_order, 0, pairs.partitions(), run.budget.available() / 2,
              [&](unsigned, std::size_t, const store::Run<RankPair>& records) {
                for (const RankPair& pair : records.records) {
                  if (pair == last) continue;
                  if (pair.later != last.later) of_later = 0;
                  last = pair;
                  if (is_known(pair) || ++of_later > most) continue;
                  held.push_back(pair);
                  if (held.size() < kHeldPairs) continue;
                  out.write_values(std::span<const RankPair>(held));
                  held.clear();
                }
              });
  out.write_values(std::span<const RankPair>(held));
}

class Round {
 public:
  Round(DedupRun& run, const Ranks& ranks, RoundPlan& plan)
      : run_(run), ranks_(ranks), plan_(plan), pairs_(pair_options(run, ranks.size()), run.budget) {
    for (unsigned i = 0; i < run.threads; ++i) writers_.push_back(pairs_.writer());
  }

  // `takes_part(rank)`.
  template <class TakesPart>
  void band(unsigned band, unsigned other, TakesPart takes_part) {
    Entries entries(options(), run_.budget);
    Entries crowds(options(), run_.budget);
    {
      auto writer = entries.writer();
      run::ColumnReader<std::uint32_t> keys(run_.dir.work(band_name(band)));
      run::ColumnReader<std::uint32_t> others(run_.dir.work(band_name(other)));
      Entry entry{};
      for (DocId document = 0; keys.next(entry.key) && others.next(entry.other); ++document) {
        entry.rank = ranks_.rank(document);
        if (takes_part(entry.rank)) writer.add(entry);
      }
    }
    {
      std::vector<Entries::Writer> aside;
      for (unsigned i = 0; i < run_.threads; ++i) aside.push_back(crowds.writer());
      for_each_group(entries, [&](unsigned worker, const Entry& entry) {
        const std::uint64_t both =
            mix(std::uint64_t{entry.key} << 32U | entry.other, 0x9E3779B97F4A7C15ULL, 0xD6E8FEB86659FD93ULL);
        aside[worker].add({static_cast<std::uint32_t>(both >> 32U), 0, entry.rank});
        plan_.crowded[entry.rank] = 1;  // a document is in one group of a band
      });
    }
    for_each_group(crowds, [](unsigned, const Entry&) {});
  }

  void list(const std::vector<std::filesystem::path>& known, run::RunFile& out) {
    writers_.clear();
    list_pairs(run_, pairs_, known, out);
  }

 private:
  store::ShuffleOptions options() {
    return {.what = "the documents of a band",
            .key_bits = 32,
            .expected_records = ranks_.size(),
            .order_values = true,
            .temp = &run_.temp,
            .memory_bytes = run_.budget.available() / 3};
  }

  template <class Large>
  void for_each_group(const Entries& entries, Large large) {
    std::vector<Group> groups(run_.threads);
    entries.for_each_run(run_.context, [&](unsigned worker, std::size_t, const store::Run<Entry>& records) {
      bool first = records.first;
      for (const Entry& entry : records.records) {
        groups[worker].add(
            entry, first,
            [&](std::uint64_t later, std::uint64_t earlier) {
              writers_[worker].add({later, earlier});
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

}  // namespace

void find_pairs(DedupRun& run, const Ranks& ranks, RoundPlan& plan, const std::vector<std::filesystem::path>& known,
                run::RunFile& out) {
  const auto bands = matching::choose_bands(run.options.threshold, run.options.recall, run.options.lanes).bands;
  Round round(run, ranks, plan);
  Progress progress(run.context, "near", "bands", bands);
  for (unsigned band = 0; band < bands; ++band) {
    const unsigned other = bands == 1 ? 0 : (band + 1 + (plan.round - 1) % (bands - 1)) % bands;
    round.band(band, other, [&](std::uint64_t rank) {
      return plan.alive[rank] != 0 && (plan.round == 1 || plan.crowded[rank] != 0);
    });
    progress.add(1);
  }
  progress.finish();
  round.list(known, out);
}

void find_simhash_pairs(DedupRun& run, const Ranks& ranks, RoundPlan& plan,
                        const std::vector<std::filesystem::path>& known, run::RunFile& out) {
  Pairs pairs(pair_options(run, ranks.size()), run.budget);
  std::vector<Pairs::Writer> writers;
  for (unsigned i = 0; i < run.threads; ++i) writers.push_back(pairs.writer());
  // Documents with equal fingerprints are one node.
  Array<FingerprintNode> nodes(run.budget, "the fingerprints");
  {
    run::ColumnReader<std::uint64_t> fingerprints(run.dir.work("fingerprints"));
    std::uint64_t fingerprint = 0;
    for (DocId document = 0; fingerprints.next(fingerprint); ++document)
      if (plan.alive[ranks.rank(document)] != 0) nodes.push_back({fingerprint, ranks.rank(document)});
  }
  std::sort(nodes.begin(), nodes.end());
  Array<std::uint64_t> distinct(run.budget, "the fingerprints");
  Array<std::uint64_t> begins(run.budget, "the fingerprints");  // of each among the nodes, and the end
  Group group;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool first = i == 0 || nodes[i].fingerprint != nodes[i - 1].fingerprint;
    group.add(
        {0, 0, nodes[i].rank}, first,
        [&](std::uint64_t later, std::uint64_t earlier) {
          writers[0].add({later, earlier});
        },
        [](const Entry&) {});
    plan.crowded[nodes[i].rank] = 1;
    if (!first) continue;
    distinct.push_back(nodes[i].fingerprint);
    begins.push_back(i);
  }
  begins.push_back(nodes.size());
  // Those that stand for a fingerprint: the best-ranked few.
  const auto standing = [&](std::uint64_t fingerprint) {
    const auto at =
        static_cast<std::size_t>(std::lower_bound(distinct.begin(), distinct.end(), fingerprint) - distinct.begin());
    const auto begin = static_cast<std::size_t>(begins[at]);
    return std::span<const FingerprintNode>(nodes.data() + begin,
                                            std::min(static_cast<std::size_t>(begins[at + 1]) - begin, kAll));
  };
  matching::hamming_join({distinct.data(), distinct.size()}, {.distance = run.options.distance}, run.context,
                         run.budget, [&](unsigned worker, std::uint64_t a, std::uint64_t b) {
                           for (const FingerprintNode& one : standing(a))
                             for (const FingerprintNode& other : standing(b))
                               writers[worker].add({std::max(one.rank, other.rank), std::min(one.rank, other.rank)});
                         });
  writers.clear();
  list_pairs(run, pairs, known, out, kMostOfLater);
}

}  // namespace refrain::verbs::dedup
