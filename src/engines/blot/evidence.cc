#include "engines/blot/evidence.h"

#include <algorithm>
#include <limits>

#include "engines/blot/finder.h"

namespace refrain::blot {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::int64_t kBit = 16;
// No token counts more than this, however rare it is: two contexts are too little text to tell.
constexpr std::int64_t kMostBits = 16 * kBit;
// An unseen pair weighs as much as this many occurrences of its first token.
constexpr std::uint64_t kUnseen = 4;
constexpr std::uint64_t kScale = std::uint64_t{1} << 20U;  // makes fractions of occurrences whole numbers
// The cost of a token that another one replaces, and of one that the other stretch lacks. A long omission costs no more
// than kOmission: a summary leaves out most of a text.
constexpr std::int64_t kReplaced = 3 * kBit;
constexpr std::int64_t kLacking = kBit / 2;
constexpr std::int64_t kOmission = 30 * kBit;
// If the stretch of `a` holds a token often, each one of `b` may match this many of them: those of about the same rank.
constexpr std::size_t kChoices = 8;

// The two stretches hold each shared token once each.
std::uint64_t elsewhere(std::uint32_t count) {
  return count - std::min<std::uint32_t>(count, 2);
}

}  // namespace

std::int64_t Evidence::weigh(const StretchInContext& a, const StretchInContext& b) {
  count(a, b);
  const std::span<const std::uint32_t> words(words_);
  const auto in_a = words.subspan(a.begin, a.end - a.begin);
  const auto in_b = words.subspan(a.context.size() + b.begin, b.end - b.begin);
  match(in_a, in_b);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < row_.size(); ++i) {
    const auto [x, y] = row_[i];
    const std::uint64_t skipped_a = i == 0 ? 0 : x - row_[i - 1].first - 1;
    const std::uint64_t skipped_b = i == 0 ? 0 : y - row_[i - 1].second - 1;
    if (i == 0 || skipped_a > 0 || skipped_b > 0) {
      const std::uint64_t place = log2_sixteenths(1 + skipped_a) + log2_sixteenths(1 + skipped_b);
      const auto replaced = static_cast<std::int64_t>(std::min(skipped_a, skipped_b));
      const auto lacking = static_cast<std::int64_t>(std::max(skipped_a, skipped_b)) - replaced;
      sum += bits_of(in_a[x]) - static_cast<std::int64_t>(place + place / 2) - kReplaced * replaced -
             std::min(kOmission, kLacking * lacking);
    } else {
      sum += bits_after(in_a[x - 1], in_a[x]);
    }
  }
  return sum;
}

// Numbers the tokens of both contexts, and counts them and their pairs.
void Evidence::count(const StretchInContext& a, const StretchInContext& b) {
  tokens_ = a.context.size() + b.context.size();
  sorted_.clear();
  for (const auto& context : {a.context, b.context})
    for (const std::uint32_t token : context) sorted_.push_back(std::uint64_t{token} << 32U | sorted_.size());
  std::sort(sorted_.begin(), sorted_.end());
  words_.resize(sorted_.size());
  counts_.clear();
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    if (i == 0 || sorted_[i] >> 32U != sorted_[i - 1] >> 32U) counts_.push_back(0);
    ++counts_.back();
    words_[static_cast<std::uint32_t>(sorted_[i])] = static_cast<std::uint32_t>(counts_.size() - 1);
  }
  pairs_.clear();
  for (std::size_t i = 1; i < words_.size(); ++i)
    if (i != a.context.size()) pairs_.push_back(std::uint64_t{words_[i - 1]} << 32U | words_[i]);
  std::sort(pairs_.begin(), pairs_.end());
}

// Finds the longest row of matches that ascend in both stretches (Hunt and Szymanski).
void Evidence::match(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  begins_.assign(counts_.size() + 1, 0);
  for (const std::uint32_t word : a) ++begins_[word + 1];
  for (std::size_t word = 0; word < counts_.size(); ++word) begins_[word + 1] += begins_[word];
  places_.resize(a.size());
  met_.assign(counts_.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) places_[begins_[a[i]] + met_[a[i]]++] = static_cast<std::uint32_t>(i);
  met_.assign(counts_.size(), 0);
  matches_.clear();
  ends_.clear();
  for (std::size_t j = 0; j < b.size(); ++j) {
    const std::span<const std::uint32_t> same(places_.data() + begins_[b[j]], begins_[b[j] + 1] - begins_[b[j]]);
    const std::size_t rank = met_[b[j]]++;
    const std::size_t last = std::min(same.size(), rank + kChoices / 2);
    for (std::size_t choice = last; choice-- > std::min(last, rank - std::min(rank, kChoices / 2));) {
      const auto end =
          std::ranges::lower_bound(ends_, same[choice], {}, [&](std::uint32_t at) { return matches_[at].a; });
      matches_.push_back({same[choice], static_cast<std::uint32_t>(j), end == ends_.begin() ? kNone : *(end - 1)});
      const auto number = static_cast<std::uint32_t>(matches_.size() - 1);
      if (end == ends_.end())
        ends_.push_back(number);
      else
        *end = number;
    }
  }
  row_.clear();
  for (std::uint32_t at = ends_.empty() ? kNone : ends_.back(); at != kNone; at = matches_[at].before)
    row_.emplace_back(matches_[at].a, matches_[at].b);
  std::reverse(row_.begin(), row_.end());
}

std::uint32_t Evidence::pairs_of(std::uint32_t before, std::uint32_t word) const {
  const auto [first, last] = std::ranges::equal_range(pairs_, std::uint64_t{before} << 32U | word);
  return static_cast<std::uint32_t>(last - first);
}

// The weight of a token that nothing predicts.
std::int64_t Evidence::bits_of(std::uint32_t word) const {
  const std::uint64_t others = std::max<std::uint64_t>(1, elsewhere(counts_[word]));
  return std::min(kMostBits, std::int64_t{log2_sixteenths(tokens_)} - std::int64_t{log2_sixteenths(others)});
}

// The weight of a token that follows `before`.
std::int64_t Evidence::bits_after(std::uint32_t before, std::uint32_t word) const {
  const std::uint64_t others = std::max<std::uint64_t>(1, elsewhere(counts_[word]));
  const std::uint64_t both = kScale * elsewhere(pairs_of(before, word)) + kUnseen * kScale * others / tokens_;
  const std::uint64_t all = kScale * (elsewhere(counts_[before]) + kUnseen);
  return std::clamp(
      std::int64_t{log2_sixteenths(all)} - std::int64_t{log2_sixteenths(std::max<std::uint64_t>(1, both))},
      std::int64_t{0}, kMostBits);
}

}  // namespace refrain::blot
