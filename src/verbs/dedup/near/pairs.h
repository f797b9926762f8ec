// Pairs of documents that met: collected from many threads and listed in order, without pairs that were listed
// before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/hash.h"
#include "store/shuffle.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

struct LaterOfPair {
  std::uint64_t operator()(const RankPair& pair) const { return pair.later; }
};
using Pairs = store::Shuffle<RankPair, LaterOfPair>;

store::ShuffleOptions pair_options(DedupRun& run, std::uint64_t documents);

// Writes the pairs in ascending order, each once, without those in `known`, and at most `most` new ones per later
// document.
void list_pairs(DedupRun& run, Pairs& pairs, const std::vector<std::filesystem::path>& known, run::RunFile& out,
                std::uint64_t most = ~std::uint64_t{0});

inline constexpr std::size_t kSmallGroup = 8;    // in a group of up to this size, all documents meet
inline constexpr std::size_t kPredecessors = 2;  // in a larger group, each document meets this many before it
inline constexpr std::size_t kLeaders = 4;       // and this many of the best-ranked, from the second round on
inline constexpr unsigned kTurns = 8;            // rounds until the same leaders return; some may be gone by then

// The documents of a large group meet once more if they also have the same key in another band, which is a
// different one in every round.
inline std::uint32_t crowd_key(std::uint32_t key, std::uint32_t other) {
  return static_cast<std::uint32_t>(
      mix(std::uint64_t{key} << 32U | other, 0x9E3779B97F4A7C15ULL, 0xD6E8FEB86659FD93ULL) >> 32U);
}
inline unsigned other_band(unsigned band, unsigned bands, unsigned round) {
  return bands == 1 ? 0 : (band + 1 + (round - 1) % (bands - 1)) % bands;
}

// The documents of one group, added in order of rank. Entry has a `rank`.
//
// In a large group, each document meets the best-ranked one and the two before it. If many are similar and each has
// text of its own, the one that covers another may not be among those, but it is most likely one of the
// best-ranked, which are kept. So in every further round, each document meets a few more of these.
template <class Entry>
class Group {
 public:
  explicit Group(unsigned round) : first_leader_((round + kTurns - 2) % kTurns * kLeaders), round_(round) {}

  // Calls pair(later, earlier), and large(entry) for every entry of a group of more than kSmallGroup.
  template <class Pair, class Large>
  void add(const Entry& entry, bool first, Pair pair, Large large) {
    if (first) few_.clear(), leaders_.clear(), count_ = 0;
    if (few_.size() < kSmallGroup) {
      for (const Entry& before : few_) pair(entry.rank, before.rank);
      few_.push_back(entry);
    } else {
      if (count_ == kSmallGroup)
        for (const Entry& before : few_) large(before);
      pair(entry.rank, few_.front().rank);
      for (const std::uint64_t before : last_) pair(entry.rank, before);
      for (const std::uint64_t before : leaders_) pair(entry.rank, before);
      large(entry);
    }
    if (round_ > 1 && count_ >= first_leader_ && leaders_.size() < kLeaders) leaders_.push_back(entry.rank);
    last_[count_++ % kPredecessors] = entry.rank;
  }

 private:
  const std::size_t first_leader_;  // its index in the group
  const unsigned round_;
  std::vector<Entry> few_;
  std::vector<std::uint64_t> leaders_;
  std::array<std::uint64_t, kPredecessors> last_ = {};
  std::size_t count_ = 0;
};

}  // namespace refrain::verbs::dedup
