// The windows of a reference set, and which items each window proposes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/hash.h"
#include "refrain/error.h"
#include "verbs/dedup/against/reference_search.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::uint64_t kBase = 0x9E3779B97F4A7C15ULL;
constexpr const char* kWindows = "the windows of the `against` set";
constexpr std::uint64_t kLongestPiece = 8;  // longer windows would not be rarer
constexpr std::uint32_t kMostPlaces = 4;    // of one window of the passages in one item
constexpr std::uint64_t kIndexMask = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::uint64_t most_edits(std::uint64_t tokens, double share) {
  // The small amount keeps the rounding error of a share like 0.8 from counting.
  return static_cast<std::uint64_t>(std::floor(static_cast<double>(tokens) * (1 - share) + 1e-9));
}

std::uint64_t ReferenceWindows::roll(std::uint64_t sum, std::uint32_t token) {
  return sum * kBase + token;
}

std::uint64_t ReferenceWindows::key(std::uint64_t sum, std::uint32_t length) {
  return mix(sum ^ (std::uint64_t{length} << 48U), 0xBF58476D1CE4E5B9ULL, 0x94D049BB133111EBULL);
}

ReferenceWindows::ReferenceWindows(const ReferenceSet& set, const ReferenceRules& rules, MemoryBudget& budget)
    : set_(set),
      rules_(rules),
      holders_(budget, kWindows),
      slots_(budget, kWindows),
      least_hits_(budget, kWindows, set.size()),
      dropped_(budget, kWindows, set.size()) {
  for (std::uint32_t item = 0; item < set.size(); ++item)
    if (set.first_like(item) == item && set.item(item).size() >= rules.min_tokens) note_item(item);
  settle();
  build_slots();
}

void ReferenceWindows::note_item(std::uint32_t item) {
  const std::uint64_t tokens = set_.item(item).size();
  if (tokens > std::numeric_limits<std::uint32_t>::max())
    throw Error(Errc::over_budget, "`against`: an item has more than 4 billion tokens; split it");
  if (tokens <= kMostWhole && tokens != 0) {
    const std::uint64_t edits = most_edits(tokens, rules_.share);
    const std::uint64_t length = std::min(kLongestPiece, tokens / (edits + 1));
    const std::uint64_t pieces = tokens / length;
    for (std::uint64_t i = 0; i < pieces; ++i) note(item, i * length, static_cast<std::uint32_t>(length), false);
    // settle() subtracts those that it drops.
    least_hits_[item] = static_cast<std::uint32_t>(pieces);
    overlap_ = std::max(overlap_, tokens + edits);
  }
  if (tokens >= rules_.passage) {
    const std::uint64_t length = (rules_.passage + 1) / 2;
    const std::uint64_t step = rules_.passage - length + 1;
    for (std::uint64_t at = 0; at + length <= tokens; at += step)
      note(item, at, static_cast<std::uint32_t>(length), true);
    overlap_ = std::max(overlap_, rules_.passage);
  }
}

void ReferenceWindows::note(std::uint32_t item, std::uint64_t offset, std::uint32_t length, bool passage) {
  note_length(length);
  std::uint64_t sum = 0;
  for (const std::uint32_t token : set_.item(item).subspan(offset, length)) sum = roll(sum, token);
  holders_.push_back({key(sum, length), passage ? 1U : 0U, item, static_cast<std::uint32_t>(offset), 1});
}

void ReferenceWindows::note_length(std::uint32_t length) {
  if (std::ranges::find(lengths_, length, &Length::tokens) != lengths_.end()) return;
  std::uint64_t leaving = 1;
  for (std::uint32_t i = 0; i < length; ++i) leaving *= kBase;
  lengths_.push_back({length, leaving});
}

void ReferenceWindows::settle() {
  std::sort(holders_.begin(), holders_.end());
  std::size_t kept = 0;
  std::size_t group = 0;  // index, among those kept, of the first holder of the current window
  for (const Holder& holder : holders_) {
    if (kept == 0 || holders_[group].key != holder.key || holders_[group].passage != holder.passage) group = kept;
    const bool again = kept > group && holders_[kept - 1].item == holder.item;
    const std::uint32_t copies = again ? holders_[kept - 1].copies : 0;
    if (again && holder.passage == 0) {
      ++holders_[kept - 1].copies;
    } else if (kept - group < kMostItems && copies < kMostPlaces) {
      holders_[kept] = holder;
      holders_[kept++].copies = copies + 1;
    } else if (holder.passage != 0) {
      dropped_[holder.item] = 1;
    } else {
      --least_hits_[holder.item];
    }
  }
  holders_.resize(kept);
  for (std::uint32_t item = 0; item < set_.size(); ++item) {
    const std::uint64_t edits = most_edits(set_.item(item).size(), rules_.share);
    const bool sought = set_.first_like(item) == item && set_.item(item).size() >= rules_.min_tokens;
    const bool whole = sought && set_.item(item).size() <= kMostWhole;
    partly_ += sought && (dropped_[item] != 0 || (whole && least_hits_[item] <= edits)) ? 1 : 0;
    least_hits_[item] = least_hits_[item] > edits ? static_cast<std::uint32_t>(least_hits_[item] - edits) : 1;
  }
}

void ReferenceWindows::build_slots() {
  if (holders_.size() >= kIndexMask)
    throw Error(Errc::over_budget, "`against`: the set has more than 4 billion windows; split it");
  slots_.resize(std::bit_ceil(std::max<std::size_t>(2 * holders_.size(), 16)));
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < holders_.size(); ++i) {
    const std::uint64_t key = holders_[i].key;
    if (i != 0 && holders_[i - 1].key == key) continue;
    std::size_t slot = key & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = (key & ~kIndexMask) | (i + 1);
  }
}

std::span<const ReferenceWindows::Holder> ReferenceWindows::find(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = key & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    if (((slots_[slot] ^ key) & ~kIndexMask) != 0) continue;
    const std::size_t first = (slots_[slot] & kIndexMask) - 1;
    if (holders_[first].key != key) continue;
    std::size_t last = first;
    while (last < holders_.size() && holders_[last].key == key) ++last;
    return {holders_.data() + first, last - first};
  }
  return {};
}

}  // namespace refrain::verbs::dedup
