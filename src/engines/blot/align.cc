#include "engines/blot/align.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <tuple>

namespace refrain::blot {

namespace {

// The number of cells that align() keeps to trace a path: a megabyte, without margins. Longer paths are found
// piecewise.
constexpr std::size_t kMostCells = std::size_t{1} << 17U;
// A piece that advances by less than this is not worth its cost.
constexpr std::int32_t kMinPiece = kMostCells / 256;
// grow() discards old waves once it holds this many cells.
constexpr std::size_t kForgetCells = std::size_t{1} << 12U;
constexpr std::int32_t kMargin = 4;
// The number of tokens that ends_here() looks ahead.
constexpr std::int32_t kLookahead = 32;
constexpr std::array<std::uint32_t, kLookahead> kBits = [] {
  std::array<std::uint32_t, kLookahead> bits{};
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = std::uint32_t{1} << i;
  return bits;
}();
constexpr std::uint64_t kOneFurther = std::uint64_t{1} << 32U;  // added to a cell

std::int32_t length_of(std::size_t size) {
  return static_cast<std::int32_t>(std::min<std::size_t>(size, std::numeric_limits<std::int32_t>::max() / 2));
}

}  // namespace

Aligner::Aligner(const AlignRules& rules)
    : rules_(rules),
      unit_(std::gcd(2 * (rules.edit + rules.match), 2 * rules.edit + rules.match)),
      substitute_(2 * (rules.edit + rules.match) / unit_),
      gap_((2 * rules.edit + rules.match) / unit_) {}

Aligner::Cell Aligner::at(std::size_t wave, std::uint32_t back, std::int32_t diagonal) const {
  if (wave < back) return {};
  const Wave& found = waves_[wave - back];
  const std::int32_t i = diagonal - found.low;
  return i < 0 || i >= found.count ? Cell{} : Cell::from(store_[found.first + static_cast<std::size_t>(i)]);
}

Aligner::Entry Aligner::entry(std::size_t wave, std::int32_t diagonal, std::int32_t a, std::int32_t b) const {
  Entry best;
  const auto consider = [&](std::uint32_t back, std::int32_t from, std::int32_t step) {
    Cell cell = at(wave, back, from);
    if (cell.reach < 0) return;
    cell.reach += step;
    if (cell.reach > a || cell.reach - diagonal > b) return;
    if (std::tie(cell.reach, cell.matches) > std::tie(best.cell.reach, best.cell.matches)) best = {cell, back, from};
  };
  consider(substitute_, diagonal, 1);
  consider(gap_, diagonal - 1, 1);
  consider(gap_, diagonal + 1, 0);
  return best;
}

// Returns the diagonals that the next wave can reach.
inline Aligner::Wave Aligner::next_wave(std::size_t wave) const {
  if (wave == 0) return {0, 1, used_};
  std::int32_t low = std::numeric_limits<std::int32_t>::max();
  std::int32_t high = std::numeric_limits<std::int32_t>::min();
  const auto reach_from = [&](std::uint32_t back, std::int32_t spread) {
    if (wave < back || waves_[wave - back].count == 0) return;
    low = std::min(low, waves_[wave - back].low - spread);
    high = std::max(high, waves_[wave - back].high() + spread);
  };
  reach_from(substitute_, 0);
  reach_from(gap_, 1);
  return low > high ? Wave{0, 0, used_} : Wave{low, high - low + 1, used_};
}

inline const std::uint64_t* Aligner::cells_from(std::size_t wave, std::uint32_t back, std::int32_t low,
                                                std::int32_t high) const {
  if (wave < back || waves_[wave - back].count == 0) return nullptr;
  const Wave& old = waves_[wave - back];
  if (low < old.low - kMargin || high > old.high() + kMargin) return nullptr;
  return store_.data() + old.first + (low - old.low);
}

// Does what entry() does, for all diagonals of a wave, in branch-free loops.
void Aligner::enter(std::size_t wave, const Wave& next, std::int32_t a, std::int32_t b) {
  std::uint64_t* const cells = store_.data() + next.first;
  std::fill(cells, cells + next.count, 0);
  const auto from = [&](std::uint32_t back, std::int32_t shift, std::uint64_t add) {
    if (wave < back || waves_[wave - back].count == 0) return;
    const Wave& old = waves_[wave - back];
    const std::uint64_t* const in = store_.data() + old.first;
    std::uint64_t* const out = cells + (old.low + shift - next.low);
    const std::int64_t diagonal = old.low + shift;
    for (std::int32_t i = 0; i < old.count; ++i) {
      const std::uint64_t cell = in[i] == 0 ? 0 : in[i] + add;
      // The largest allowed cell value, which is the reach plus 1: at most a + 1, and b + 1 plus the diagonal.
      const auto most = static_cast<std::uint64_t>(std::min<std::int64_t>(a, b + diagonal + i) + 1);
      out[i] = std::max(out[i], cell >> 32U > most ? 0 : cell);
    }
  };
  from(substitute_, 0, kOneFurther);
  from(gap_, 1, kOneFurther);
  from(gap_, -1, 0);
}

// Discards the cells of waves that no later wave can use.
void Aligner::forget_waves(std::size_t wave) {
  if (used_ < kForgetCells || wave <= substitute_) return;
  const std::size_t first = waves_[wave - substitute_].first - kMargin;
  if (first < kForgetCells / 2) return;
  std::copy(store_.begin() + static_cast<std::ptrdiff_t>(first), store_.begin() + static_cast<std::ptrdiff_t>(used_),
            store_.begin());
  used_ -= first;
  for (std::size_t i = wave - substitute_; i < waves_.size(); ++i) waves_[i].first -= first;
}

// Spreads from (0, 0), one penalty after another. `drop` is twice the score that a diagonal may fall behind. With
// `whole`, it continues to the ends of both runs and keeps all waves.
template <class Equal>
Aligner::Spread Aligner::spread(std::int32_t a, std::int32_t b, std::int64_t drop, bool whole, Equal equal) {
  Spread result;
  waves_.clear();
  store_.resize(std::max<std::size_t>(store_.size(), kMargin));
  std::fill_n(store_.begin(), kMargin, 0);
  used_ = kMargin;
  std::size_t kept = 0;         // number of cells
  std::int32_t furthest_a = 0;  // the furthest position reached
  std::int32_t furthest_b = 0;
  const auto match = static_cast<std::int64_t>(rules_.match);
  std::uint32_t empty_waves = 0;
  for (std::size_t wave = 0; empty_waves <= substitute_; ++wave) {
    if (whole && kept >= kMostCells) {
      result.full = true;
      return result;
    }
    if (!whole) forget_waves(wave);
    Wave next = next_wave(wave);
    const std::size_t end_of_next = next.first + static_cast<std::size_t>(next.count) + kMargin;
    if (store_.size() < end_of_next) store_.resize(2 * end_of_next);
    std::uint64_t* const cells = store_.data() + next.first;
    const std::uint64_t* const same = cells_from(wave, substitute_, next.low, next.low + next.count - 1);
    const std::uint64_t* const beside = cells_from(wave, gap_, next.low - 1, next.low + next.count);
    if (wave == 0) {
      cells[0] = Cell{0, 0}.packed();
    } else if (same != nullptr && beside != nullptr && furthest_a < a && furthest_b < b) {
      // Does the same as enter(), but needs no bounds checks because no path can pass an end.
      for (std::int32_t k = 0; k < next.count; ++k) {
        const std::uint64_t cell = std::max(same[k], beside[k]);
        cells[k] = std::max(cell == 0 ? 0 : cell + kOneFurther, beside[k + 2]);
      }
    } else if (next.count > 0) {
      enter(wave, next, a, b);
    }
    const auto penalty = static_cast<std::int64_t>(wave * unit_);
    const std::int64_t least = result.best.worth - drop + penalty;
    std::int32_t first_alive = next.count;
    std::int32_t last_alive = -1;
    for (std::int32_t k = 0; k < next.count; ++k) {
      const std::int32_t diagonal = next.low + k;
      Cell cell = Cell::from(cells[k]);
      if (cell.reach < 0 || match * (2 * std::int64_t{cell.reach} - diagonal) < least) {
        cells[k] = 0;
        continue;
      }
      first_alive = std::min(first_alive, k);
      last_alive = k;
      std::int32_t i = cell.reach;
      while (i < a && i - diagonal < b && equal(i, i - diagonal)) ++i;
      furthest_a = std::max(furthest_a, i);
      furthest_b = std::max(furthest_b, i - diagonal);
      const bool arrives = whole && i == a && i - diagonal == b;
      if (i == cell.reach && !arrives) continue;  // an edit without a match is worse than where it came from
      cell.matches += static_cast<std::uint32_t>(i - cell.reach);
      cell.reach = i;
      cells[k] = cell.packed();
      const std::int64_t worth = match * (2 * std::int64_t{i} - diagonal) - penalty;
      // A tie with an earlier wave goes to the earlier one, which is shorter, so only ties within one wave are
      // compared.
      const bool is_better = worth > result.best.worth || (worth == result.best.worth && wave == result.best.wave &&
                                                           std::abs(diagonal) < std::abs(result.best.diagonal));
      if (arrives || (is_better && !result.arrived)) result.best = {wave, diagonal, cell, worth};
      result.arrived = result.arrived || arrives;
    }
    result.open = furthest_a == a || furthest_b == b;
    cells_ += static_cast<std::uint64_t>(next.count);
    // Only the cells from the first to the last one that is alive are kept.
    kept += static_cast<std::size_t>(last_alive + 1);
    next.count = last_alive < 0 ? 0 : last_alive - first_alive + 1;
    if (next.count > 0) {
      std::fill_n(cells + last_alive + 1, kMargin, 0);
      used_ = next.first + static_cast<std::size_t>(last_alive + 1) + kMargin;
      next.first += static_cast<std::size_t>(first_alive);
      next.low += first_alive;
    }
    empty_waves = next.count == 0 ? empty_waves + 1 : 0;
    waves_.push_back(next);
    if (result.arrived) return result;
  }
  return result;
}

// Returns whether growth ends here, before the end of either span, because nothing that follows can have a positive
// score. Most passages end this way, and this check is far cheaper than spread(). `a` and `b` return the tokens that
// follow.
//
// A path that has taken `length` tokens of one run, and no more of the other, has at most as many matches as the
// longest common subsequence of the first `length` tokens of both; all other tokens are edits. Every path that
// continues passes every length, so if the bound for one length is too low to be followed, all paths have been given
// up. The subsequence is computed for all lengths in one pass (Hyyro): after some tokens of `a`, the number of zeros
// below bit j is its length with j tokens of `b`.
template <class A, class B>
bool Aligner::ends_here(std::int32_t a_size, std::int32_t b_size, A a, B b) const {
  const auto edit = static_cast<std::int32_t>(rules_.edit);
  const std::int32_t match_and_edit = static_cast<std::int32_t>(rules_.match) + edit;
  const std::int64_t least = -std::int64_t{edit} * rules_.max_gap;
  const std::int32_t most = std::min({a_size, b_size, kLookahead});
  if (rules_.max_gap >= static_cast<unsigned>(most)) return false;
  std::array<std::uint32_t, kLookahead> tokens{};
  for (std::int32_t j = 0; j < most; ++j) tokens[static_cast<std::size_t>(j)] = b(j);
  std::uint64_t ones = ~std::uint64_t{0};
  for (std::int32_t length = 1; length <= most; ++length) {
    const std::uint32_t token = a(length - 1);
    std::uint32_t same = 0;
    for (std::size_t j = 0; j < tokens.size(); ++j) same |= tokens[j] == token ? kBits[j] : 0;
    const std::uint64_t met = ones & same;
    ones = (ones + met) | (ones - met);
    const std::uint64_t below = (std::uint64_t{1} << length) - 1;
    const std::int32_t worth = match_and_edit * std::popcount(~ones & below) - edit * length;
    if (worth > 0) return false;
    if (worth < least) return true;
  }
  return false;
}

template <class A, class B>
Growth Aligner::grow(std::size_t a_size, std::size_t b_size, A a, B b) {
  const std::int32_t in_a = length_of(a_size);
  const std::int32_t in_b = length_of(b_size);
  std::int32_t same = 0;
  while (same < std::min(in_a, in_b) && a(same) == b(same)) ++same;
  const auto ahead_a = [=](std::int32_t i) { return a(same + i); };
  const auto ahead_b = [=](std::int32_t j) { return b(same + j); };
  if (ends_here(in_a - same, in_b - same, ahead_a, ahead_b)) {
    const auto taken = static_cast<std::size_t>(same);
    return {taken, taken, taken, false};
  }
  const std::int64_t drop = 2 * static_cast<std::int64_t>(rules_.max_gap) * rules_.edit;
  const Spread found = spread(in_a, in_b, drop, false, [=](std::int32_t i, std::int32_t j) { return a(i) == b(j); });
  return {static_cast<std::size_t>(found.best.cell.reach),
          static_cast<std::size_t>(found.best.cell.reach - found.best.diagonal), found.best.cell.matches, found.open};
}

Growth Aligner::forward(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  return grow(
      a.size(), b.size(), [at = a.data()](std::int32_t i) { return at[i]; },
      [at = b.data()](std::int32_t j) { return at[j]; });
}

Growth Aligner::backward(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  return grow(
      a.size(), b.size(), [at = a.data() + a.size()](std::int32_t i) { return at[-1 - i]; },
      [at = b.data() + b.size()](std::int32_t j) { return at[-1 - j]; });
}

void Aligner::trace(const End& end, std::int32_t a, std::int32_t b, std::size_t x, std::size_t y,
                    std::vector<Run>& runs) const {
  const std::size_t before = runs.size();
  std::size_t wave = end.wave;
  std::int32_t diagonal = end.diagonal;
  std::int32_t reach = end.cell.reach;
  for (;;) {
    const Entry came = wave == 0 ? Entry{{0, 0}, 0, 0} : entry(wave, diagonal, a, b);
    if (reach > came.cell.reach)
      runs.push_back({x + static_cast<std::size_t>(came.cell.reach),
                      y + static_cast<std::size_t>(came.cell.reach - diagonal),
                      static_cast<std::size_t>(reach - came.cell.reach)});
    if (wave == 0) break;
    reach = at(wave, came.wave, came.from).reach;
    wave -= came.wave;
    diagonal = came.from;
  }
  std::reverse(runs.begin() + static_cast<std::ptrdiff_t>(before), runs.end());
}

std::vector<Aligner::Run> Aligner::align(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  const std::int64_t least_drop = 2 * std::max<std::int64_t>(1, rules_.max_gap) * rules_.edit;
  std::vector<Run> runs;
  std::size_t x = 0;
  std::size_t y = 0;
  std::int64_t drop = least_drop;
  for (;;) {
    const std::int32_t rest_a = length_of(a.size() - x);
    const std::int32_t rest_b = length_of(b.size() - y);
    const Spread found = spread(
        rest_a, rest_b, drop, true,
        [at_a = a.data() + x, at_b = b.data() + y](std::int32_t i, std::int32_t j) { return at_a[i] == at_b[j]; });
    const End& end = found.best;
    if (!found.arrived && !found.full) {
      drop *= 2;
      continue;
    }
    trace(end, rest_a, rest_b, x, y, runs);
    if (found.arrived || end.cell.reach < kMinPiece) break;
    x += static_cast<std::size_t>(end.cell.reach);
    y += static_cast<std::size_t>(end.cell.reach - end.diagonal);
    drop = least_drop;
  }
  // Joins a run that was found in two pieces.
  std::vector<Run> joined;
  for (const Run& run : runs) {
    if (!joined.empty() && joined.back().a + joined.back().length == run.a &&
        joined.back().b + joined.back().length == run.b)
      joined.back().length += run.length;
    else
      joined.push_back(run);
  }
  return joined;
}

}  // namespace refrain::blot
