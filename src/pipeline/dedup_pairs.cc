#include "pipeline/dedup_pairs.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/mix.h"
#include "base/progress.h"
#include "base/threads.h"

namespace refrain {

namespace {

constexpr std::size_t kAll = 8;           // of a group of so many, all pairs
constexpr std::size_t kPredecessors = 2;  // with which each document of a larger one is paired

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
using Entries = Shuffle<Entry, KeyOfEntry>;

struct LaterOfPair {
  std::uint64_t operator()(const RankPair& pair) const { return pair.later; }
};
using Pairs = Shuffle<RankPair, LaterOfPair>;

// A group as it comes by, in order of rank.
class Group {
 public:
  // Calls pair(later, earlier); large(entry) for each of a group of more than kAll.
  template <class Pair, class Large>
  void add(const Entry& entry, bool first, Pair pair, Large large) {
    if (first) few_.clear(), count_ = 0;
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

class Round {
 public:
  Round(DedupRun& run, const Ranks& ranks, RoundPlan& plan)
      : run_(run),
        ranks_(ranks),
        plan_(plan),
        pairs_({.what = "the pairs that met",
                .key_bits = static_cast<unsigned>(std::bit_width(ranks.size() | 1)),
                .expected_records = ranks.size(),
                .order_values = true,
                .temp = &run.temp,
                .memory_bytes = run.budget.available() / 3},
               run.budget) {
    for (unsigned i = 0; i < run.threads; ++i) writers_.push_back(pairs_.writer());
  }

  // `takes_part(rank)`.
  template <class TakesPart>
  void band(unsigned band, unsigned other, TakesPart takes_part) {
    Entries entries(options(), run_.budget);
    Entries crowds(options(), run_.budget);
    {
      auto writer = entries.writer();
      ColumnReader<std::uint32_t> keys(run_.dir.work(band_name(band)));
      ColumnReader<std::uint32_t> others(run_.dir.work(band_name(other)));
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

  void list(const std::vector<std::filesystem::path>& known, RunFile& out) {
    writers_.clear();
    std::vector<std::unique_ptr<ColumnReader<RankPair>>> before;
    std::vector<RankPair> next;
    for (const std::filesystem::path& path : known) {
      before.push_back(std::make_unique<ColumnReader<RankPair>>(path));
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
    Context in_order = run_.context;
    in_order.threads = 1;
    std::vector<RankPair> held;
    RankPair last{~std::uint64_t{0}, 0};
    pairs_.drain(in_order, 0, pairs_.partitions(), run_.budget.available() / 2,
                 [&](unsigned, std::size_t, const Run<RankPair>& records) {
                   for (const RankPair& pair : records.records) {
                     if (pair == last) continue;
                     last = pair;
                     if (is_known(pair)) continue;
                     held.push_back(pair);
                     if (held.size() < kHeld) continue;
                     out.write_values(std::span<const RankPair>(held));
                     held.clear();
                   }
                 });
    out.write_values(std::span<const RankPair>(held));
  }

 private:
  static constexpr std::size_t kHeld = 8192;

  ShuffleOptions options() {
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
    entries.for_each_run(run_.context, [&](unsigned worker, std::size_t, const Run<Entry>& records) {
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
                RunFile& out) {
  const auto bands = static_cast<unsigned>(run.dir.facts().number("bands"));
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

}  // namespace refrain
