#include "engines/blot/align.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <tuple>

namespace refrain::blot {

namespace {

// What align() keeps of the way: a megabyte. Longer ways are found piece by piece.
constexpr std::size_t kMostCells = std::size_t{1} << 17U;
// A piece that brings one on by less than this is not worth its cost.
constexpr std::int32_t kLeastPiece = kMostCells / 256;
// grow() forgets old waves when it holds so many cells.
constexpr std::size_t kForgetCells = std::size_t{1} << 12U;

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

// entry() for all diagonals of a wave, in loops without a choice.
void Aligner::enter(std::size_t wave, const Wave& next, std::int32_t a, std::int32_t b) {
  std::fill(store_.begin() + static_cast<std::ptrdiff_t>(next.first), store_.end(), 0);
  const auto from = [&](std::uint32_t back, std::int32_t shift, std::int32_t step) {
    if (wave < back || waves_[wave - back].count == 0) return;
    const Wave& old = waves_[wave - back];
    const std::uint64_t* const cells = store_.data() + old.first;
    std::uint64_t* const out = store_.data() + next.first + (old.low + shift - next.low);
    const std::uint64_t add = static_cast<std::uint64_t>(step) << 32U;
    const std::int64_t diagonal = old.low + shift;
    for (std::int32_t i = 0; i < old.count; ++i) {
      const std::uint64_t cell = cells[i] == 0 ? 0 : cells[i] + add;
      // One more than the reach, as cells are: at most a + 1, and b + 1 less the diagonal.
      const auto most = static_cast<std::uint64_t>(std::min<std::int64_t>(a, b + diagonal + i) + 1);
      out[i] = std::max(out[i], cell >> 32U > most ? 0 : cell);
    }
  };
  from(substitute_, 0, 1);
  from(gap_, 1, 1);
  from(gap_, -1, 0);
}

// Waves before `wave` that nothing can come from any more lose their cells.
void Aligner::forget_waves(std::size_t wave) {
  if (store_.size() < kForgetCells || wave <= substitute_) return;
  const std::size_t first = waves_[wave - substitute_].first;
  if (first < kForgetCells / 2) return;
  store_.erase(store_.begin(), store_.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = wave - substitute_; i < waves_.size(); ++i) waves_[i].first -= first;
}

// From (0, 0) on, penalty after penalty. `drop` is twice what a diagonal may fall behind. `whole`: to the ends of both,
// keeping all waves.
template <class Equal>
Aligner::Spread Aligner::spread(std::int32_t a, std::int32_t b, std::int64_t drop, bool whole, Equal equal) {
  Spread result;
  waves_.clear();
  store_.clear();
  std::uint32_t empty_waves = 0;
  for (std::size_t wave = 0; empty_waves <= substitute_; ++wave) {
    if (whole && store_.size() >= kMostCells) {
      result.full = true;
      return result;
    }
    if (!whole) forget_waves(wave);
    Wave next{0, 1, store_.size()};
    if (wave > 0) {
      std::int32_t high = std::numeric_limits<std::int32_t>::min();
      next.low = std::numeric_limits<std::int32_t>::max();
      const auto reach_from = [&](std::uint32_t back, std::int32_t spread) {
        if (wave < back || waves_[wave - back].count == 0) return;
        next.low = std::min(next.low, waves_[wave - back].low - spread);
        high = std::max(high, waves_[wave - back].low + waves_[wave - back].count - 1 + spread);
      };
      reach_from(substitute_, 0);
      reach_from(gap_, 1);
      next = next.low > high ? Wave{0, 0, store_.size()} : Wave{next.low, high - next.low + 1, store_.size()};
    }
    const auto penalty = static_cast<std::int64_t>(wave * unit_);
    const std::int64_t least = result.best.worth - drop;
    std::int32_t first_alive = next.count;
    std::int32_t last_alive = -1;
    store_.resize(next.first + static_cast<std::size_t>(next.count));
    if (wave == 0)
      store_[0] = Cell{0, 0}.packed();
    else
      enter(wave, next, a, b);
    for (std::int32_t k = 0; k < next.count; ++k) {
      const std::int32_t diagonal = next.low + k;
      std::uint64_t& stored = store_[next.first + static_cast<std::size_t>(k)];
      if (stored == 0) continue;
      Cell cell = Cell::from(stored);
      const auto worth = [&] {
        return static_cast<std::int64_t>(rules_.match) * (2 * std::int64_t{cell.reach} - diagonal) - penalty;
      };
      if (worth() < least) {
        stored = 0;
        continue;
      }
      std::int32_t i = cell.reach;
      while (i < a && i - diagonal < b && equal(i, i - diagonal)) ++i;
      cell.matches += static_cast<std::uint32_t>(i - cell.reach);
      cell.reach = i;
      stored = cell.packed();
      first_alive = std::min(first_alive, k);
      last_alive = k;
      if (i == a || i - diagonal == b) result.open = true;
      const End end{wave, diagonal, cell, worth()};
      const auto is_better = [&] {
        if (end.worth != result.best.worth) return end.worth > result.best.worth;
        // An earlier wave is shorter: only those of the same one are to be compared.
        return end.wave == result.best.wave && std::abs(diagonal) < std::abs(result.best.diagonal);
      };
      if (!result.arrived && is_better()) result.best = end;
      if (whole && i == a && i - diagonal == b) {
        result.best = end;
        result.arrived = true;
      }
    }
    cells_ += static_cast<std::uint64_t>(next.count);
    // Only those from the first to the last that are alive are kept.
    store_.resize(next.first + static_cast<std::size_t>(last_alive + 1));
    if (last_alive >= 0) {
      next.first += static_cast<std::size_t>(first_alive);
      next.low += first_alive;
    }
    next.count = last_alive < 0 ? 0 : last_alive - first_alive + 1;
    empty_waves = next.count == 0 ? empty_waves + 1 : 0;
    waves_.push_back(next);
    if (result.arrived) return result;
  }
  return result;
}

template <class Equal>
Growth Aligner::grow(std::size_t a, std::size_t b, Equal equal) {
  const std::int64_t drop = 2 * static_cast<std::int64_t>(rules_.max_gap) * rules_.edit;
  const Spread found = spread(length_of(a), length_of(b), drop, false, equal);
  return {static_cast<std::size_t>(found.best.cell.reach),
          static_cast<std::size_t>(found.best.cell.reach - found.best.diagonal), found.best.cell.matches, found.open};
}

Growth Aligner::forward(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  return grow(a.size(), b.size(),
              [pa = a.data(), pb = b.data()](std::int32_t i, std::int32_t j) { return pa[i] == pb[j]; });
}

Growth Aligner::backward(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  return grow(a.size(), b.size(), [pa = a.data() + a.size(), pb = b.data() + b.size()](std::int32_t i, std::int32_t j) {
    return pa[-1 - i] == pb[-1 - j];
  });
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

std::vector<Aligner::Run> Aligner::align(std::size_t a, std::size_t b,
                                         const std::function<bool(std::size_t, std::size_t)>& equal) {
  const std::int64_t least_drop = 2 * std::max<std::int64_t>(1, rules_.max_gap) * rules_.edit;
  std::vector<Run> runs;
  std::size_t x = 0;
  std::size_t y = 0;
  std::int64_t drop = least_drop;
  for (;;) {
    const std::int32_t rest_a = length_of(a - x);
    const std::int32_t rest_b = length_of(b - y);
    const Spread found = spread(rest_a, rest_b, drop, true, [&](std::int32_t i, std::int32_t j) {
      return equal(x + static_cast<std::size_t>(i), y + static_cast<std::size_t>(j));
    });
    const End& end = found.best;
    if (!found.arrived && !found.full) {
      drop *= 2;
      continue;
    }
    trace(end, rest_a, rest_b, x, y, runs);
    if (found.arrived || end.cell.reach < kLeastPiece) break;
    x += static_cast<std::size_t>(end.cell.reach);
    y += static_cast<std::size_t>(end.cell.reach - end.diagonal);
    drop = least_drop;
  }
  // A run that was found in two pieces is one.
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
