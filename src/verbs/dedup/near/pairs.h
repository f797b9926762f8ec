// Pairs of documents that met: gathered from many threads, and listed in order without what was listed before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "store/shuffle.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

struct LaterOfPair {
  std::uint64_t operator()(const RankPair& pair) const { return pair.later; }
};
using Pairs = store::Shuffle<RankPair, LaterOfPair>;

store::ShuffleOptions pair_options(DedupRun& run, std::uint64_t documents);

// Ascending, each once, without those in `known`; of what is left with the same later document no more than `most`.
void list_pairs(DedupRun& run, Pairs& pairs, const std::vector<std::filesystem::path>& known, run::RunFile& out,
                std::uint64_t most = ~std::uint64_t{0});

inline constexpr std::size_t kAll = 8;           // of a group of so many, all pairs
inline constexpr std::size_t kPredecessors = 2;  // with which each document of a larger one is paired

// Documents that meet in one place, as they come by in order of rank. Entry has a `rank`.
template <class Entry>
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
      for (const std::uint64_t before : last_)
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

}  // namespace refrain::verbs::dedup
