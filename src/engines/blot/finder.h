// Passages that two runs of tokens share however much was edited: words replaced, moved, inserted or lost.
//
// A *point* is a token that both hold, and that neither holds often. It counts where the stretches around it in both are
// alike: of what their tokens weigh, the share that both hold is at least 1 - noise, whatever the order. A token weighs
// the more the rarer it is in the two runs, in sixteenths of a bit; what only `b` holds weighs most. Points that lie near each other in both runs are a
// *cluster*, which is what a passage looks like; a summary looks like many small ones, near in one run and far apart in the other,
// so these are joined where none outweighs the rest. At its ends a passage is cut where what agrees no longer outweighs what
// does not.
//
// Takes time linear in the tokens, but for sorting the points, of which each token has at most kMostPlaces.
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
  std::uint32_t max_gap = 40;  // tokens between two points of one passage, at most
  std::uint32_t min_tokens = 15;
  std::uint32_t min_bits = 150;  // what agrees weighs that much at least: how unlikely it is by chance
  bool summaries = true;         // joins what is further apart than max_gap in one run
};

// Tokens [a_begin, a_end) and [b_begin, b_end).
struct LoosePassage {
  std::size_t a_begin = 0;
  std::size_t a_end = 0;
  std::size_t b_begin = 0;
  std::size_t b_end = 0;
  std::size_t matches = 0;  // tokens of `b` that are in `a` too, each as often as there
  std::uint64_t bits = 0;   // that they weigh
  friend bool operator==(const LoosePassage&, const LoosePassage&) = default;
};

// A token of both, at these places.
struct SharedPoint {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  friend bool operator==(const SharedPoint&, const SharedPoint&) = default;
};

// Points into clusters: two neighbours by `a` that are more than gap_a apart are in different ones, and so are two
// neighbours by `b` of what is left together, and so on. Clusters by their first points, which are sorted by a, then b.
std::vector<std::vector<SharedPoint>> cluster_points(std::vector<SharedPoint> points, std::uint32_t gap_a,
                                                     std::uint32_t gap_b);

// 16 times the binary logarithm, the same on every machine. Of 1 or more.
std::uint32_t log2_sixteenths(std::uint64_t value);

// Keeps its buffers. Not thread-safe. Runs of less than 2^31 tokens.
class PassageFinder {
 public:
  // A token that a run holds more often makes no points.
  static constexpr std::uint32_t kMostPlaces = 8;
  // Tokens before and behind a point that are compared.
  static constexpr std::size_t kAround = 12;

  explicit PassageFinder(const FinderRules& rules) : rules_(rules) {}

  // One `a`, and then any number of runs that are compared with it.
  void set(std::span<const std::uint32_t> a);
  // By where they begin in `a`, then in `b`.
  std::vector<LoosePassage> find(std::span<const std::uint32_t> b);
  // Bytes that it takes for runs of so many tokens, about.
  static std::uint64_t memory_bytes(std::uint64_t tokens) { return 96 * tokens; }

  // The points that count, by a, then b. After find(); for tests.
  std::span<const SharedPoint> points() const { return points_; }

 private:
  // The weight of some tokens, and of those that the other run holds too.
  struct Sums {
    std::uint64_t weight = 0;
    std::uint64_t common = 0;
  };
  struct Run {
    // The tokens: those of `a` numbered from 1 on, in the order in which they come; what is only in `b` is 0.
    std::vector<std::uint32_t> words;
    // Of the tokens before each, and of all.
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
  std::vector<std::pair<std::uint32_t, std::uint32_t>> table_;  // by a hash: a token of `a`, and its number
  unsigned table_shift_ = 0;
  std::vector<std::uint32_t> places_begin_;  // by word: where its places in b_ begin, if it makes points
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> held_;      // by word: how often the stretch of `a` holds it,
  std::vector<std::uint32_t> used_;      // and how many of these were met, if
  std::vector<std::uint32_t> round_of_;  // it was in this round
  std::uint32_t round_ = 0;
  std::vector<SharedPoint> points_;
};

// A first look at two stretches of tokens: how much of one does the other hold too, whatever the order? A token weighs the
// more the rarer it is in all of `a`, in sixteenths of a bit.
//
// Keeps its buffers. Not thread-safe.
class Resemblance {
 public:
  // `a` is referred to. Less than 2^31 tokens.
  Resemblance(std::span<const std::uint32_t> a, MemoryBudget& budget);

  // Of what the tokens [begin, end) of `a` weigh, the share of those that `b` has too, each as often as there.
  double share(std::size_t begin, std::size_t end, std::span<const std::uint32_t> b);

 private:
  std::size_t slot_of(std::uint32_t token) const;

  std::span<const std::uint32_t> a_;
  Array<std::uint16_t> weights_;                               // by token of `a`
  std::vector<std::pair<std::uint32_t, std::uint32_t>> held_;  // by a hash: a token of `b`, and how often it is left
  unsigned shift_ = 0;
};

}  // namespace refrain::blot
