#include "engines/substring/sampler.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/substring/sampler.cc"  // NOLINT
#include <hwy/foreach_target.h>                            // must come before highway.h
#include <hwy/highway.h>

#ifndef REFRAIN_SUBSTRING_SAMPLER_CC
#define REFRAIN_SUBSTRING_SAMPLER_CC
namespace refrain::substring {

// The order value mixes two words of four bytes. Any function that scatters common text would do.
constexpr std::int32_t kFirstFactor = 0x2C1B3C6D;
constexpr std::int32_t kSecondFactor = 0x297A2D39;
constexpr std::int32_t kLastFactor = 0x5BD1E995;

inline std::int32_t order_value(const char* core) {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::memcpy(&low, core, 4);
  std::memcpy(&high, core + 4, 4);
  std::uint32_t sum = low * static_cast<std::uint32_t>(kFirstFactor) + high * static_cast<std::uint32_t>(kSecondFactor);
  sum ^= sum >> 15U;
  return static_cast<std::int32_t>(sum * static_cast<std::uint32_t>(kLastFactor));
}

}  // namespace refrain::substring
#endif

HWY_BEFORE_NAMESPACE();
namespace refrain::substring::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<std::int32_t>;

#if HWY_TARGET == HWY_SCALAR

void order_values(const char* text, std::size_t count, std::int32_t* values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = order_value(text + i);
}

#else

// Computes the order values of 4 * Lanes adjacent cores at a time: a load at each of four offsets covers every
// fourth.
void order_values(const char* HWY_RESTRICT text, std::size_t count, std::int32_t* HWY_RESTRICT values) {
  const Tag d;
  const hn::Repartition<std::uint8_t, Tag> bytes;
  const auto value = [&](const char* at) HWY_ATTR {
    const auto low = hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(at)));
    const auto high = hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(at + 4)));
    const auto sum = hn::Add(hn::Mul(low, hn::Set(d, kFirstFactor)), hn::Mul(high, hn::Set(d, kSecondFactor)));
    const hn::RebindToUnsigned<Tag> du;
    const auto folded = hn::Xor(sum, hn::BitCast(d, hn::ShiftRight<15>(hn::BitCast(du, sum))));
    return hn::Mul(folded, hn::Set(d, kLastFactor));
  };
  for (std::size_t i = 0; i < count; i += 4 * hn::Lanes(d)) {
    const auto v0 = value(text + i);
    const auto v1 = value(text + i + 1);
    const auto v2 = value(text + i + 2);
    const auto v3 = value(text + i + 3);
    hn::StoreInterleaved4(v0, v1, v2, v3, d, values + i);
  }
}

#endif

// The first index in [begin, end) whose value is below `bound`, or `end`. May read values past the end.
HWY_INLINE std::size_t find_below(const std::int32_t* values, std::size_t begin, std::size_t end, std::int32_t bound) {
  const Tag d;
  const auto limit = hn::Set(d, bound);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const std::intptr_t found = hn::FindFirstTrue(d, hn::Lt(hn::LoadU(d, values + i), limit));
    if (found >= 0) return std::min(i + static_cast<std::size_t>(found), end);
  }
  return end;
}

// The leftmost index of the least value in [begin, begin + count).
HWY_INLINE std::size_t least(const std::int32_t* values, std::size_t begin, std::size_t count) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  std::int32_t low = values[begin];
  std::size_t i = 0;
  if (count >= lanes) {
    auto lows = hn::LoadU(d, values + begin);
    for (i = lanes; i + lanes <= count; i += lanes) lows = hn::Min(lows, hn::LoadU(d, values + begin + i));
    low = hn::GetLane(hn::MinOfLanes(d, lows));
  }
  for (; i < count; ++i) low = std::min(low, values[begin + i]);
  const auto wanted = hn::Set(d, low);
  for (i = begin;; i += lanes) {
    const std::intptr_t found = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, values + i), wanted));
    if (found >= 0) return i + static_cast<std::size_t>(found);
  }
}

void choose(const std::int32_t* values, std::size_t windows, std::size_t span, std::vector<Sample>& samples) {
  const std::size_t count = windows + span - 1;  // number of cores
  const auto emit = [&](std::size_t core, std::size_t first, std::size_t end) {
    samples.push_back(
        {static_cast<std::uint32_t>(core), static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first)});
  };
  std::size_t core = least(values, 0, span);
  std::size_t first = 0;    // the first window that chose the current core
  std::size_t next = span;  // the next core to consider
  while (true) {
    const std::size_t limit = std::min(core + span, count);
    const std::size_t lower = find_below(values, next, limit, values[core]);
    if (lower < limit) {
      emit(core, first, lower - span + 1);
      first = lower - span + 1;
      core = lower;
      next = lower + 1;
    } else if (limit == count) {
      return emit(core, first, windows);
    } else {
      emit(core, first, core + 1);
      first = core + 1;
      core = least(values, first, span);
      next = first + span;
    }
  }
}

}  // namespace refrain::substring::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace refrain::substring {

HWY_EXPORT(order_values);
HWY_EXPORT(choose);

void Sampler::sample(const char* text, std::size_t windows) {
  samples_.clear();
  folds_.clear();
  if (windows == 0) return;
  values_.resize(kMaxWindows + SubstringPlan::kMaxSpan + 256);
  HWY_DYNAMIC_DISPATCH(order_values)(text, windows + plan_.span - 1, values_.data());
  HWY_DYNAMIC_DISPATCH(choose)(values_.data(), windows, plan_.span, samples_);
  if (!plan_.places) fold(text, windows);
}

// More than min_count + 2 samples at equal distances suggest a period. The samples are examined in a single pass;
// what is known about a series with equal distances is kept from one sample to the next.
void Sampler::fold(const char* text, std::size_t windows) {
  const std::size_t readable = windows + plan_.length - 1;
  std::size_t kept = 0;
  std::size_t last = 0;  // the last sample of the series with equal distances
  std::uint32_t period = 0;
  std::size_t end = 0;     // the period holds over text[samples_[i].core, end)
  std::size_t inside = 0;  // the first sample after i that is not entirely within, or has another number of windows
  for (std::size_t i = 0; i < samples_.size();) {
    if (i >= last && i + 1 < samples_.size()) {
      last = i + 1;
      period = samples_[last].core - samples_[i].core;
      while (last + 1 < samples_.size() && samples_[last + 1].core - samples_[last].core == period) ++last;
      end = 0;
      inside = 0;
    }
    if (i < last && last - i - 1 > plan_.min_count) {
      end = std::max<std::size_t>(end, samples_[i].core + period);
      while (end < readable && text[end] == text[end - period]) ++end;
      inside = std::max(inside, i + 1);
      while (inside <= last && samples_[inside].core + plan_.length <= end && samples_[inside].windows == period)
        ++inside;
      const std::size_t from = i + 1 + plan_.min_count;
      if (inside > from) {
        for (std::size_t s = i; s < from; ++s) samples_[kept++] = samples_[s];
        const std::uint32_t first = samples_[from].first;
        const Sample& after = samples_[inside - 1];
        folds_.push_back({first, after.first + after.windows - first, period});
        i = inside;
        continue;
      }
    }
    samples_[kept++] = samples_[i++];
  }
  samples_.resize(kept);
}

std::vector<Sample> sample_plain(const SubstringPlan& plan, const char* text, std::size_t windows) {
  std::vector<Sample> samples;
  for (std::size_t window = 0; window < windows; ++window) {
    std::size_t best = window;
    for (std::size_t core = window; core < window + plan.span; ++core)
      if (order_value(text + core) < order_value(text + best)) best = core;
    if (!samples.empty() && samples.back().core == best)
      ++samples.back().windows;
    else
      samples.push_back({static_cast<std::uint32_t>(best), static_cast<std::uint32_t>(window), 1});
  }
  return samples;
}

}  // namespace refrain::substring

#endif
