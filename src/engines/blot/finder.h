// Finds passages that two runs of tokens share even if they were heavily edited: words replaced, moved, inserted or
// deleted.
//
// A *point* is a token that both runs contain and neither contains often. It counts if the stretches around it in
// both runs are alike: tokens that both contain make up at least a share of 1 - noise of their weight, in any order.
// A token weighs more the rarer it is in the two runs, in sixteenths of a bit; a token that only `b` contains weighs
// most. Points that lie near each other in both runs form a *cluster*, which is what a passage looks like. A summary
// looks like many small clusters, near each other in one run and far apart in the other, so such clusters are joined
// if none of them outweighs the rest. A passage is trimmed at its ends, where the tokens that agree no longer
// outweigh those that do not.
//
// Takes time linear in the number of tokens, apart from sorting the points, of which each token has at most
// kMostPlaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::blot {

struct FinderRules {
  double noise = 0.65;         // the share of the words that may differ
  std::uint32_t max_gap = 40;  // the most tokens between two neighboring points of a passage
  std::uint32_t min_tokens = 15;
  std::uint32_t min_bits = 150;  // least weight of what agrees, in bits: how unlikely it is by chance
  bool summaries = true;         // join clusters that are further apart than max_gap in one run
};

// Tokens [a_begin, a_end) and [b_begin, b_end).
struct LoosePassage {
  std::size_t a_begin = 0;
  std::size_t a_end = 0;
  std::size_t b_begin = 0;
  std::size_t b_end = 0;
  std::size_t matches = 0;  // tokens of `b` that are also in `a`, each at most as often as there
  std::uint64_t bits = 0;   // the weight of the matches
  friend bool operator==(const LoosePassage&, const LoosePassage&) = default;
};

// A token that both runs contain, at these positions.
struct SharedPoint {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  friend bool operator==(const SharedPoint&, const SharedPoint&) = default;
};

// Divides points into clusters. Neighbors by `a` that are more than gap_a apart are separated, then neighbors by `b`
// within each part that are more than gap_b apart, and so on until nothing changes. Clusters are sorted by their
// first points, and the points of a cluster by a, then b.
std::vector<std::vector<SharedPoint>> cluster_points(std::vector<SharedPoint> points, std::uint32_t gap_a,
                                                     std::uint32_t gap_b);

// Approximates 16 times the binary logarithm, with the same result on every machine. `value` must be at least 1.
std::uint32_t log2_sixteenths(std::uint64_t value);

// Keeps its buffers between calls. Not thread-safe. Runs must be shorter than 2^31 tokens.
class PassageFinder {
 public:
  // A token that either run contains more often than this makes no points.
  static constexpr std::uint32_t kMostPlaces = 8;
  // The number of tokens before and after a point that are compared.
  static constexpr std::size_t kAround = 12;

  explicit PassageFinder(const FinderRules& rules) : rules_(rules) {}

  // Sets the run that later calls of find() compare with theirs.
  void set(std::span<const std::uint32_t> a);
  // The passages are sorted by where they begin in `a`, then in `b`.
  std::vector<LoosePassage> find(std::span<const std::uint32_t> b);
  // The approximate number of bytes that runs of `tokens` tokens together take.
  static std::uint64_t memory_bytes(std::uint64_t tokens) { return 96 * tokens; }

  // The points that count, by a, then b. Valid after find(); for tests.
  std::span<const SharedPoint> points() const { return points_; }

 private:
  // The weight of some tokens, and of those among them that the other run contains too.
  struct Sums {
    std::uint64_t weight = 0;
    std::uint64_t common = 0;
  };
  struct Run {
    // The tokens: those of `a` are numbered from 1, in order of first occurrence; 0 is a token that only `b`
    // contains.
    std::vector<std::uint32_t> words;
    // The sums of the tokens before each token; the last element covers all tokens.
    std::vector<Sums> up_to;
    std::uint64_t weight(std::size_t begin, std::size_t end) const { return up_to[end].weight - up_to[begin].weight; }
    std::uint64_t common(std::size_t begin, std::size_t end) const { return up_to[end].common - up_to[begin].common; }
  };
  struct Box {
    std::size_t a_begin, a_end, b_begin, b_end;
  };

  std::size_t slot_of(std::uint32_t token) const;
  void number_words(std::span<const std::uint32_t> b);
  void add_up(Run& run) const;
  void find_places();
  void find_points();
  std::uint64_t shared_weight(std::size_t b_begin, std::size_t b_end);
  void join(const std::vector<SharedPoint>& points, std::vector<LoosePassage>& out);
  bool finish(const std::vector<SharedPoint>& points, bool trim, std::vector<LoosePassage>& out);
  std::pair<std::size_t, std::size_t> best_part(const Run& of, std::size_t begin, std::size_t end, const Run& with,
                                                std::size_t with_begin, std::size_t with_end, std::size_t core_begin,
                                                std::size_t core_end);
  void start_counting();

  FinderRules rules_;
  Run a_;
  Run b_;
  std::vector<std::uint32_t> weights_;                          // by word
  std::vector<std::uint32_t> count_a_;                          // by word
  std::vector<std::uint32_t> count_b_;                          // by word
  std::vector<std::pair<std::uint32_t, std::uint32_t>> table_;  // hash table of the tokens of `a` and their numbers
  unsigned table_shift_ = 0;
  std::vector<std::uint32_t> places_begin_;  // by word: where its places begin in places_, if it has any
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> held_;      // by word: how often the current stretch of `a` contains it
  std::vector<std::uint32_t> used_;      // by word: how many of those were matched, valid only
  std::vector<std::uint32_t> round_of_;  // if the word was matched in this round
  std::uint32_t round_ = 0;
  std::vector<SharedPoint> points_;
};

// A quick estimate of how much of one stretch of tokens another one contains, in any order. A token weighs more the
// rarer it is in all of `a`, in sixteenths of a bit.
//
// Keeps its buffers between calls. Not thread-safe.
class Resemblance {
 public:
  // Keeps a reference to `a`, which must be shorter than 2^31 tokens.
  Resemblance(std::span<const std::uint32_t> a, MemoryBudget& budget);

  // The share, by weight, of the tokens [begin, end) of `a` that `b` contains too, each at most as often as there.
  double share(std::size_t begin, std::size_t end, std::span<const std::uint32_t> b);

 private:
  std::size_t slot_of(std::uint32_t token) const;

  std::span<const std::uint32_t> a_;
  Array<std::uint16_t> weights_;                               // by token of `a`
  std::vector<std::pair<std::uint32_t, std::uint32_t>> held_;  // hash table: a token of `b`, how often it is left
  unsigned shift_ = 0;
};

}  // namespace refrain::blot
