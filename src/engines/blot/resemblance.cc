#include "engines/blot/resemblance.h"

#include <algorithm>
#include <bit>

#include "engines/blot/finder.h"

namespace refrain::blot {

namespace {

constexpr std::uint32_t kUsed = std::uint32_t{1} << 31U;  // in a count: the slot has a token

}  // namespace

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
