#include "engines/matching/hamming.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <memory>
#include <vector>

#include "base/array.h"
#include "base/progress.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "store/shuffle.h"

namespace refrain::matching {

namespace {

// Rough costs in nanoseconds, for choosing between methods that give the same result.
constexpr double kCompareCost = 0.25;
constexpr double kGroupCost = 4;

double brute_force_cost(double size) {
  return size * size / 2 * kCompareCost;
}

// The size below which comparing a set is faster than grouping it in `ways` ways.
std::size_t small_set(std::size_t ways) {
  return static_cast<std::size_t>(2 * kGroupCost / kCompareCost * static_cast<double>(std::max<std::size_t>(ways, 1)));
}

// One thread's part of the search. Its position in the tree consists of `chosen_` (the bits of the chosen blocks, in
// which a pair must agree) and `passed_` (the blocks that were passed over, in each of which a pair must differ).
class Search {
 public:
  Search(unsigned worker, unsigned distance, const Context& context, MemoryBudget& budget, const EmitPair& emit)
      : worker_(worker), distance_(distance), context_(context), budget_(budget), emit_(emit) {}

  // Finds all pairs of the set that agree in blocks[first - 1] and differ in every block before it. `levels` more
  // blocks are to be chosen from blocks[first] on.
  void run(std::span<const std::uint64_t> set, std::span<const Block> blocks, std::size_t first, std::size_t levels) {
    chosen_ = blocks[first - 1].mask;
    passed_.clear();
    for (std::size_t b = 0; b + 1 < first; ++b) passed_.push_back(blocks[b].mask);
    stalls_ = 0;
    descend(set, blocks, first, levels, 0);
  }

  // Compares set[i] with everything after it.
  void compare_row(std::span<const std::uint64_t> set, std::size_t i) {
    list_ = set.subspan(i);
    find_within(set[i], set.subspan(i + 1), distance_, &Search::on_row_hit, this);
  }

 private:
  static constexpr unsigned kMaxStalls = 3;

  // The buffers of one level: the set in groups. Deeper levels use their own.
  struct Level {
    explicit Level(MemoryBudget& budget) : list(budget, "groups of fingerprints") {}
    Array<std::uint64_t> list;
    std::vector<std::uint32_t> ends;
  };

  void descend(std::span<const std::uint64_t> set, std::span<const Block> blocks, std::size_t first, std::size_t levels,
               std::size_t depth) {
    if (set.size() < 2) return;
    throw_if_stopped(context_);
    if (levels != 0) {
      const std::size_t ways = blocks.size() - levels + 1 - first;
      if (set.size() <= small_set(ways)) return compare_all(set);
      return fork(set, blocks, first, levels, depth);
    }
    if (set.size() <= small_set(distance_ + 1)) return compare_all(set);
    const std::vector<Block> fresh = balanced_blocks(set, distance_ + 1);
    double cost = 0;
    for (const Block& block : fresh)
      cost += kGroupCost * static_cast<double>(set.size()) +
              brute_force_cost(static_cast<double>(set.size())) * block.collisions;
    if (fresh.size() <= distance_ || stalls_ > kMaxStalls || cost > brute_force_cost(static_cast<double>(set.size())))
      return compare_all(set);
    fork(set, fresh, 0, 1, depth);
  }

  void fork(std::span<const std::uint64_t> set, std::span<const Block> blocks, std::size_t first, std::size_t levels,
            std::size_t depth) {
    while (levels_.size() <= depth) levels_.emplace_back(budget_);
    Level& level = levels_[depth];
    const std::size_t passed = passed_.size();
    const std::uint64_t chosen = chosen_;
    const std::size_t next_ways = levels > 1 ? blocks.size() - levels + 1 - first : distance_ + 1;
    const std::size_t small = small_set(next_ways);
    for (std::size_t c = first; c + levels <= blocks.size(); ++c) {
      group(set, blocks[c].mask, level);
      chosen_ = chosen | blocks[c].mask;
      list_ = {level.list.data(), set.size()};
      find_pairs_within(list_, level.ends, small, distance_, &Search::on_pair_hit, this);
      std::size_t begin = 0;
      for (const std::size_t end : level.ends) {
        if (end - begin > small) {
          const bool stalled = end - begin > set.size() / 4 * 3;
          if (stalled) ++stalls_;
          descend({level.list.data() + begin, end - begin}, blocks, c + 1, levels - 1, depth + 1);
          if (stalled) --stalls_;
        }
        begin = end;
      }
      passed_.push_back(blocks[c].mask);
    }
    passed_.resize(passed);
    chosen_ = chosen;
  }

  // Divides the set into groups with equal values of BlockKey for the mask, with a counting sort.
  static void group(std::span<const std::uint64_t> set, std::uint64_t mask, Level& level) {
    const BlockKey key(mask, std::min(16U, static_cast<unsigned>(std::bit_width(set.size()))));
    if (level.list.size() < set.size()) {
      level.list.clear();
      level.list.resize(set.size());
    }
    const std::size_t groups = std::size_t{1} << key.bits();
    level.ends.assign(groups + 1, 0);
    for (const std::uint64_t hash : set) ++level.ends[key(hash) + 1];
    for (std::size_t g = 1; g <= groups; ++g) level.ends[g] += level.ends[g - 1];
    // ends[g] is where group g begins; filling the group moves it to where the group ends.
    for (const std::uint64_t hash : set) level.list[level.ends[key(hash)]++] = hash;
    level.ends.pop_back();
  }

  void compare_all(std::span<const std::uint64_t> set) {
    for (std::size_t i = 0; i + 1 < set.size(); ++i) {
      if (i % 1024 == 1023) throw_if_stopped(context_);
      compare_row(set, i);
    }
  }

  static void on_row_hit(void* self, std::size_t /*i*/, std::size_t j) { static_cast<Search*>(self)->hit(0, j + 1); }
  static void on_pair_hit(void* self, std::size_t i, std::size_t j) { static_cast<Search*>(self)->hit(i, j); }

  void hit(std::size_t i, std::size_t j) {
    const std::uint64_t a = list_[i];
    const std::uint64_t b = list_[j];
    const std::uint64_t difference = a ^ b;
    if ((difference & chosen_) != 0) return;
    for (const std::uint64_t mask : passed_)
      if ((difference & mask) == 0) return;
    emit_(worker_, std::min(a, b), std::max(a, b));
  }

  const unsigned worker_;
  const unsigned distance_;
  const Context& context_;
  MemoryBudget& budget_;
  const EmitPair& emit_;
  std::uint64_t chosen_ = 0;
  std::vector<std::uint64_t> passed_;
  unsigned stalls_ = 0;                  // number of forks on this path that hardly made the set smaller
  std::span<const std::uint64_t> list_;  // what the positions of hits refer to
  std::deque<Level> levels_;
};

using Searches = std::vector<std::unique_ptr<Search>>;

void compare_everything(std::span<const std::uint64_t> hashes, const Context& context, Searches& searches) {
  constexpr std::size_t kRows = 64;
  Progress progress(context, "join", "fingerprints", hashes.size());
  parallel_for(thread_count(context), (hashes.size() + kRows - 1) / kRows, [&](unsigned worker, std::size_t piece) {
    const std::size_t end = std::min(hashes.size(), (piece + 1) * kRows);
    for (std::size_t i = piece * kRows; i < end; ++i) searches[worker]->compare_row(hashes, i);
    progress.add(end - piece * kRows);
  });
  progress.finish();
}

// Joins one choice of the first fork: groups the whole set by blocks[c] through the shuffle.
void join_by_block(std::span<const std::uint64_t> hashes, std::span<const Block> blocks, std::size_t c,
                   std::size_t levels, const JoinOptions& options, const Context& context, MemoryBudget& budget,
                   Searches& searches, Progress& progress) {
  const unsigned threads = thread_count(context);
  const BlockKey key(blocks[c].mask, 24);
  store::Shuffle<std::uint64_t, BlockKey> shuffle({.what = "the fingerprints in the join",
                                                   .key_bits = key.bits(),
                                                   .expected_records = hashes.size(),
                                                   .run_records = options.run_records},
                                                  budget, key);
  run_workers(threads, [&](unsigned worker) {
    auto writer = shuffle.writer();
    const std::size_t begin = hashes.size() * worker / threads;
    const std::size_t end = hashes.size() * (worker + 1) / threads;
    for (std::size_t i = begin; i < end; ++i) writer.add(hashes[i]);
  });
  // A group that comes in several runs is first put together.
  struct Waiting {
    std::unique_ptr<Array<std::uint64_t>> group;
    std::size_t unreported = 0;
  };
  std::vector<Waiting> waiting(threads);
  shuffle.for_each_run(context, [&](unsigned worker, std::size_t /*partition*/, const store::Run<std::uint64_t>& run) {
    Waiting& mine = waiting[worker];
    mine.unreported += run.records.size();
    if (mine.unreported > 1U << 16U) progress.add(std::exchange(mine.unreported, 0));
    std::span<const std::uint64_t> group = run.records;
    if (!run.first || !run.last) {
      if (!mine.group) mine.group = std::make_unique<Array<std::uint64_t>>(budget, "a group of fingerprints");
      if (run.first) mine.group->clear();
      mine.group->append(run.records);
      if (!run.last) return;
      group = *mine.group;
    }
    searches[worker]->run(group, blocks, c + 1, levels - 1);
  });
  for (const Waiting& mine : waiting) progress.add(mine.unreported);
}

// The number of blocks to cut. More blocks make smaller groups, but more ways to choose them. In measurements, two
// or three more than the distance are best, three from a certain number of hashes on. Beyond four more, only the
// number of ways grows, so larger requests are reduced.
unsigned choose_blocks(std::size_t hashes, unsigned distance, unsigned requested) {
  const unsigned many_bits = distance <= 6 ? 20 : distance <= 8 ? 21 : 19;
  const bool many = hashes > std::size_t{1} << many_bits;
  return std::min({64U, requested == 0 ? distance + (many ? 3 : 2) : requested, distance + 4});
}

}  // namespace

void hamming_join(std::span<const std::uint64_t> hashes, const JoinOptions& options, const Context& context,
                  MemoryBudget& budget, const EmitPair& emit) {
  const unsigned distance = options.distance;
  check_blocks(options.blocks, distance);
  if (hashes.size() > UINT32_MAX)
    throw Error(Errc::unsupported, "more than 4 billion distinct fingerprints; split the input");
  Searches searches;
  for (unsigned worker = 0; worker < thread_count(context); ++worker)
    searches.push_back(std::make_unique<Search>(worker, distance, context, budget, emit));
  const std::vector<Block> blocks = balanced_blocks(hashes, choose_blocks(hashes.size(), distance, options.blocks));
  double cost = 0;
  if (blocks.size() > distance)
    for (std::size_t c = 0; c <= distance; ++c)
      cost += static_cast<double>(hashes.size()) * kGroupCost +
              brute_force_cost(static_cast<double>(hashes.size())) * blocks[c].collisions;
  if (blocks.size() <= distance || cost >= brute_force_cost(static_cast<double>(hashes.size())))
    return compare_everything(hashes, context, searches);
  Progress progress(context, "join", "fingerprints", hashes.size() * (distance + 1));
  for (std::size_t c = 0; c <= distance; ++c)
    join_by_block(hashes, blocks, c, blocks.size() - distance, options, context, budget, searches, progress);
  progress.finish();
}

}  // namespace refrain::matching
