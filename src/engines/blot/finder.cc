#include "engines/blot/finder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <tuple>

namespace refrain::blot {

namespace {

// Clusters are examined together if they are up to this many gaps apart: near in one run, and far in the other, most
// of which a summary leaves out.
constexpr std::uint32_t kNearGaps = 2;
constexpr std::uint32_t kFarGaps = 16;
// One run must be this many times shorter than the other, this share of its words must be points, and no cluster may
// contain more than the last of these shares of the points.
constexpr std::size_t kSummaryRatio = 2;
constexpr double kSummaryDensity = 0.15;
constexpr double kMostOfASummary = 0.67;
// A summary has at least this many tokens, and this share of their weight is in the other run: any text on the same
// subject contains some of a few words.
constexpr std::size_t kSummaryTokens = 50;
constexpr double kSummaryShare = 0.6;
// The cost of a token that does not agree, as a share of the average agreeing weight per token of the passage.
constexpr double kCost = 0.6;
// Limits how often points are divided, whatever they are.
constexpr unsigned kMostCuts = 64;

constexpr std::uint32_t kUsed = std::uint32_t{1} << 31U;  // set in a count if the slot holds a token

bool by_a(const SharedPoint& x, const SharedPoint& y) {
  return (std::uint64_t{x.a} << 32U | x.b) < (std::uint64_t{y.a} << 32U | y.b);
}

bool by_b(const SharedPoint& x, const SharedPoint& y) {
  return (std::uint64_t{x.b} << 32U | x.a) < (std::uint64_t{y.b} << 32U | y.a);
}

void sort_points(std::vector<SharedPoint>& points, bool along_a) {
  // The comparison is most of the work, so it is passed as a lambda, which is inlined, not as a function pointer.
  if (along_a) {
    if (!std::is_sorted(points.begin(), points.end(), by_a))
      std::sort(points.begin(), points.end(), [](const auto& x, const auto& y) { return by_a(x, y); });
  } else {
    std::sort(points.begin(), points.end(), [](const auto& x, const auto& y) { return by_b(x, y); });
  }
}

// Returns whether one run is much shorter than the other, much of it agrees, and no cluster contains most of what
// agrees. A passage that the longer run contains twice is not a summary.
bool is_summary(const std::vector<SharedPoint>& points, const std::vector<std::vector<SharedPoint>>& clusters) {
  const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_b);
  const std::size_t in_a = points.back().a - points.front().a + 1;
  const std::size_t in_b = high->b - low->b + 1;
  if (in_b < kSummaryRatio * in_a && in_a < kSummaryRatio * in_b) return false;
  std::vector<std::uint32_t> words;
  const auto words_of = [&](const std::vector<SharedPoint>& some) {
    words.clear();
    for (const SharedPoint& point : some) words.push_back(in_a < in_b ? point.a : point.b);
    std::sort(words.begin(), words.end());
    return static_cast<std::size_t>(std::unique(words.begin(), words.end()) - words.begin());
  };
  const auto all = static_cast<double>(words_of(points));
  if (all < kSummaryDensity * static_cast<double>(std::min(in_a, in_b))) return false;
  return std::ranges::all_of(
      clusters, [&](const auto& cluster) { return static_cast<double>(words_of(cluster)) < kMostOfASummary * all; });
}

}  // namespace

std::uint32_t log2_sixteenths(std::uint64_t value) {
  const auto whole = static_cast<std::uint32_t>(std::bit_width(value)) - 1;
  // Between two powers of two, the logarithm is nearly linear.
  const std::uint64_t rest = value - (std::uint64_t{1} << whole);
  const std::uint64_t part = whole >= 4 ? rest >> (whole - 4) : rest << (4 - whole);
  return whole * 16 + static_cast<std::uint32_t>(part);
}

std::vector<std::vector<SharedPoint>> cluster_points(std::vector<SharedPoint> points, std::uint32_t gap_a,
                                                     std::uint32_t gap_b) {
  struct Part {
    std::vector<SharedPoint> points;
    bool along_a;  // the run along which to divide it next
    bool settled;  // it could not be divided along the other run
    unsigned cuts;
  };
  std::vector<std::vector<SharedPoint>> clusters;
  std::vector<Part> open;
  if (!points.empty()) open.push_back({std::move(points), true, false, 0});
  while (!open.empty()) {
    Part part = std::move(open.back());
    open.pop_back();
    sort_points(part.points, part.along_a);
    std::size_t begin = 0;
    const auto cut = [&](std::size_t end) {
      open.push_back({{part.points.begin() + static_cast<std::ptrdiff_t>(begin),
                       part.points.begin() + static_cast<std::ptrdiff_t>(end)},
                      !part.along_a,
                      false,
                      part.cuts + 1});
      begin = end;
    };
    for (std::size_t i = 1; i < part.points.size(); ++i) {
      const bool apart = part.along_a ? part.points[i].a - part.points[i - 1].a > gap_a
                                      : part.points[i].b - part.points[i - 1].b > gap_b;
      if (apart) cut(i);
    }
    if (begin > 0) {
      cut(part.points.size());
    } else if (part.settled || part.cuts >= kMostCuts) {
      sort_points(part.points, true);
      clusters.push_back(std::move(part.points));
    } else {
      open.push_back({std::move(part.points), !part.along_a, true, part.cuts});
    }
  }
  std::sort(clusters.begin(), clusters.end(), [](const auto& x, const auto& y) { return by_a(x.front(), y.front()); });
  return clusters;
}

void PassageFinder::set(std::span<const std::uint32_t> a) {
  const std::size_t slots = std::bit_ceil(2 * a.size() + 2);
  table_shift_ = static_cast<unsigned>(32 - std::min(31, std::countr_zero(slots)));
  table_.assign(slots, {0, 0});
  count_a_.assign(1, 0);
  a_.words.clear();
  for (const std::uint32_t token : a) {
    const std::size_t at = slot_of(token);
    if (table_[at].second == 0) {
      table_[at] = {token, static_cast<std::uint32_t>(count_a_.size())};
      count_a_.push_back(0);
    }
    ++count_a_[table_[at].second];
    a_.words.push_back(table_[at].second);
  }
  held_.assign(count_a_.size(), 0);
  used_.assign(count_a_.size(), 0);
  round_of_.assign(count_a_.size(), 0);
  round_ = 0;
}

// Returns the slot that holds the token, or the empty slot where it belongs.
std::size_t PassageFinder::slot_of(std::uint32_t token) const {
  std::size_t at = (token * 0x9e3779b1U) >> table_shift_;
  while (table_[at].second != 0 && table_[at].first != token) at = (at + 1) & (table_.size() - 1);
  return at;
}

std::vector<LoosePassage> PassageFinder::find(std::span<const std::uint32_t> b) {
  points_.clear();
  std::vector<LoosePassage> found;
  if (a_.words.empty() || b.empty()) return found;
  number_words(b);
  find_points();
  for (const std::vector<SharedPoint>& points :
       cluster_points(points_, kNearGaps * rules_.max_gap, kFarGaps * rules_.max_gap))
    join(points, found);
  std::sort(found.begin(), found.end(), [](const LoosePassage& x, const LoosePassage& y) {
    return std::tie(x.a_begin, x.b_begin, x.a_end, x.b_end) < std::tie(y.a_begin, y.b_begin, y.a_end, y.b_end);
  });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void PassageFinder::number_words(std::span<const std::uint32_t> b) {
  const std::size_t words = count_a_.size();
  count_b_.assign(words, 0);
  b_.words.resize(b.size());
  for (std::size_t j = 0; j < b.size(); ++j) {
    b_.words[j] = table_[slot_of(b[j])].second;
    ++count_b_[b_.words[j]];
  }
  count_b_[0] = 0;
  weights_.resize(words);
  const std::uint32_t all = log2_sixteenths(a_.words.size() + b.size());
  weights_[0] = all;
  std::array<std::uint32_t, 64> few{};  // most counts are small
  for (std::uint32_t count = 1; count < few.size(); ++count) few[count] = all - log2_sixteenths(count);
  for (std::size_t i = 1; i < words; ++i) {
    const std::uint64_t count = std::uint64_t{count_a_[i]} + count_b_[i];
    weights_[i] = count < few.size() ? few[count] : all - log2_sixteenths(count);
  }
  add_up(a_);
  add_up(b_);
}

void PassageFinder::add_up(Run& run) const {
  run.up_to.resize(run.words.size() + 1);
  Sums sums;
  for (std::size_t i = 0; i < run.words.size(); ++i) {
    run.up_to[i] = sums;
    const std::uint32_t word = run.words[i];
    sums.weight += weights_[word];
    sums.common += count_b_[word] > 0 ? weights_[word] : 0;
  }
  run.up_to[run.words.size()] = sums;
}

// Starts a new round, which invalidates all entries of used_.
void PassageFinder::start_counting() {
  if (++round_ != 0) return;
  std::fill(round_of_.begin(), round_of_.end(), 0);
  round_ = 1;
}

// Returns the weight of the tokens of this stretch of `b` that held_ contains too, each at most as often as there.
std::uint64_t PassageFinder::shared_weight(std::size_t b_begin, std::size_t b_end) {
  start_counting();
  std::uint64_t shared = 0;
  for (std::size_t j = b_begin; j < b_end; ++j) {
    const std::uint32_t word = b_.words[j];
    if (held_[word] == 0) continue;
    if (round_of_[word] != round_) {
      round_of_[word] = round_;
      used_[word] = 0;
    }
    if (used_[word] >= held_[word]) continue;
    ++used_[word];
    shared += weights_[word];
  }
  return shared;
}

// Collects the places in `b` of the words that make points.
void PassageFinder::find_places() {
  places_begin_.resize(count_b_.size() + 1);
  std::uint32_t places = 0;
  for (std::size_t word = 0; word < count_b_.size(); ++word) {
    places_begin_[word] = places;
    const bool makes_points = count_a_[word] > 0 && count_a_[word] <= kMostPlaces && count_b_[word] <= kMostPlaces;
    places += makes_points ? count_b_[word] : 0;
  }
  places_begin_[count_b_.size()] = places;
  places_.resize(places);
  std::vector<std::uint32_t>& filled = used_;
  std::fill(filled.begin(), filled.end(), 0);
  for (std::size_t j = 0; j < b_.words.size(); ++j) {
    const std::uint32_t word = b_.words[j];
    if (places_begin_[word] != places_begin_[word + 1])
      places_[places_begin_[word] + filled[word]++] = static_cast<std::uint32_t>(j);
  }
}

void PassageFinder::find_points() {
  find_places();
  const std::size_t n = a_.words.size();
  const std::size_t m = b_.words.size();
  // held_ counts the words of this stretch of `a`, which is moved only when necessary.
  std::size_t held_first = 0;
  std::size_t held_last = 0;
  const auto hold = [&](std::size_t first, std::size_t last) {
    while (held_first < std::min(first, held_last)) --held_[a_.words[held_first++]];
    if (held_first < first) held_first = held_last = first;
    while (held_last < last) ++held_[a_.words[held_last++]];
  };
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t word = a_.words[i];
    if (places_begin_[word] == places_begin_[word + 1]) continue;
    const std::size_t first = i - std::min(i, kAround);
    const std::size_t last = std::min(n, i + kAround + 1);
    const std::uint64_t here = a_.weight(first, last);
    const std::uint64_t most_here = a_.common(first, last);
    for (std::uint32_t at = places_begin_[word]; at < places_begin_[word + 1]; ++at) {
      const std::size_t j = places_[at];
      const std::size_t begin = j - std::min(j, kAround);
      const std::size_t end = std::min(m, j + kAround + 1);
      const double enough = (1 - rules_.noise) * static_cast<double>(here + b_.weight(begin, end));
      // Most stretches contain too little that occurs in the other run at all.
      if (2 * static_cast<double>(std::min(most_here, b_.common(begin, end))) < enough) continue;
      hold(first, last);
      if (2 * static_cast<double>(shared_weight(begin, end)) >= enough)
        points_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
    }
  }
  hold(n, n);
}

void PassageFinder::join(const std::vector<SharedPoint>& points, std::vector<LoosePassage>& out) {
  const std::vector<std::vector<SharedPoint>> clusters = cluster_points(points, rules_.max_gap, rules_.max_gap);
  if (rules_.summaries && is_summary(points, clusters) && finish(points, false, out)) return;
  for (const std::vector<SharedPoint>& cluster : clusters) finish(cluster, true, out);
}

// Appends the passage that the points belong to and returns true, or returns false if too little agrees. A summary
// is not trimmed.
bool PassageFinder::finish(const std::vector<SharedPoint>& points, bool trim, std::vector<LoosePassage>& out) {
  const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_b);
  Box box{points.front().a, std::size_t{points.back().a} + 1, low->b, std::size_t{high->b} + 1};
  if (trim) {
    const auto wider = [](std::size_t begin, std::size_t end, const Run& run) {
      return std::pair(begin - std::min(begin, kAround), std::min(run.words.size(), end + kAround));
    };
    const auto [a_begin, a_end] = wider(box.a_begin, box.a_end, a_);
    const auto [b_begin, b_end] = wider(box.b_begin, box.b_end, b_);
    const auto a = best_part(a_, a_begin, a_end, b_, b_begin, b_end, box.a_begin, box.a_end);
    const auto b = best_part(b_, b_begin, b_end, a_, a_begin, a_end, box.b_begin, box.b_end);
    box = {a.first, a.second, b.first, b.second};
  }
  for (std::size_t i = box.a_begin; i < box.a_end; ++i) ++held_[a_.words[i]];
  const std::uint64_t shared = shared_weight(box.b_begin, box.b_end);
  std::size_t matches = 0;
  for (std::size_t i = box.a_begin; i < box.a_end; ++i) {
    std::uint32_t& held = held_[a_.words[i]];
    if (held > 0 && round_of_[a_.words[i]] == round_) matches += used_[a_.words[i]];
    held = 0;
  }
  if (matches < rules_.min_tokens || shared < std::uint64_t{rules_.min_bits} * 16) return false;
  const std::uint64_t in_a = a_.weight(box.a_begin, box.a_end);
  const std::uint64_t in_b = b_.weight(box.b_begin, box.b_end);
  if (!trim && std::min(box.a_end - box.a_begin, box.b_end - box.b_begin) < kSummaryTokens) return false;
  const double whole = trim ? static_cast<double>(in_a + in_b) / 2 : static_cast<double>(std::min(in_a, in_b));
  const double least = trim ? 1 - rules_.noise : std::max(1 - rules_.noise, kSummaryShare);
  if (static_cast<double>(shared) < least * whole) return false;
  out.push_back({box.a_begin, box.a_end, box.b_begin, box.b_end, matches, shared / 16});
  return true;
}

// Returns the part of [begin, end) in which tokens that the other stretch contains too outweigh the rest by the
// most. The cost of a token that does not agree follows from how much of the core agrees.
std::pair<std::size_t, std::size_t> PassageFinder::best_part(const Run& of, std::size_t begin, std::size_t end,
                                                             const Run& with, std::size_t with_begin,
                                                             std::size_t with_end, std::size_t core_begin,
                                                             std::size_t core_end) {
  start_counting();
  for (std::size_t j = with_begin; j < with_end; ++j) round_of_[with.words[j]] = round_;
  round_of_[0] = 0;
  const auto agrees = [&](std::size_t i) { return round_of_[of.words[i]] == round_; };
  std::uint64_t agreeing = 0;
  for (std::size_t i = core_begin; i < core_end; ++i)
    if (agrees(i)) agreeing += weights_[of.words[i]];
  const auto cost =
      static_cast<std::int64_t>(kCost * static_cast<double>(agreeing) / static_cast<double>(core_end - core_begin));
  std::int64_t worth = 0;
  std::int64_t best = -1;
  std::size_t start = begin;
  std::pair<std::size_t, std::size_t> part{core_begin, core_end};
  for (std::size_t i = begin; i < end; ++i) {
    if (worth <= 0) {
      worth = 0;
      start = i;
    }
    worth += (agrees(i) ? std::int64_t{weights_[of.words[i]]} : 0) - cost;
    if (worth <= best) continue;
    best = worth;
    part = {start, i + 1};
  }
  return part;
}

Resemblance::Resemblance(std::span<const std::uint32_t> a, MemoryBudget& budget)
    : a_(a), weights_(budget, "the tokens of a query", a.size()) {
  Array<std::uint64_t> sorted(budget, "the tokens of a query", a.size());
  for (std::size_t i = 0; i < a.size(); ++i) sorted[i] = std::uint64_t{a[i]} << 32U | i;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t first = 0, last = 0; first < sorted.size(); first = last) {
    while (last < sorted.size() && sorted[last] >> 32U == sorted[first] >> 32U) ++last;
    const std::uint32_t weight = log2_sixteenths(a.size()) - log2_sixteenths(last - first);
    for (std::size_t i = first; i < last; ++i)
      weights_[static_cast<std::uint32_t>(sorted[i])] = static_cast<std::uint16_t>(weight);
  }
}

std::size_t Resemblance::slot_of(std::uint32_t token) const {
  std::size_t at = (token * 0x9e3779b1U) >> shift_;
  while (held_[at].second != 0 && held_[at].first != token) at = (at + 1) & (held_.size() - 1);
  return at;
}

double Resemblance::share(std::size_t begin, std::size_t end, std::span<const std::uint32_t> b) {
  const std::size_t slots = std::bit_ceil(2 * b.size() + 2);
  shift_ = static_cast<unsigned>(32 - std::min(31, std::countr_zero(slots)));
  held_.assign(slots, {0, 0});
  for (const std::uint32_t token : b) {
    auto& [held, count] = held_[slot_of(token)];
    held = token;
    count = (count | kUsed) + 1;
  }
  std::uint64_t all = 0;
  std::uint64_t shared = 0;
  for (std::size_t i = begin; i < end; ++i) {
    all += weights_[i];
    std::uint32_t& count = held_[slot_of(a_[i])].second;
    if ((count & ~kUsed) == 0) continue;
    --count;
    shared += weights_[i];
  }
  return all == 0 ? 1 : static_cast<double>(shared) / static_cast<double>(all);
}

}  // namespace refrain::blot
