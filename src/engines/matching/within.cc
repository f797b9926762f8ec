#include "engines/matching/hamming.h"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/matching/within.cc"  // NOLINT
#include <hwy/foreach_target.h>                          // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace refrain::matching::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Compares `query` with list[begin, end). A separate function so that it is inlined into both kernels.
HWY_INLINE void compare(std::uint64_t query, const std::uint64_t* HWY_RESTRICT list, std::size_t begin, std::size_t end,
                        unsigned distance, std::size_t i, HitFn hit, void* context) {
  const hn::ScalableTag<std::uint64_t> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t lanes = hn::Lanes(d);
  const auto wanted = hn::Set(d, query);
  const auto limit = hn::Set(di, static_cast<std::int64_t>(distance) + 1);
  std::size_t j = begin;
  for (; j + lanes <= end; j += lanes) {
    const auto bits = hn::PopulationCount(hn::Xor(wanted, hn::LoadU(d, list + j)));
    const auto near = hn::Lt(hn::BitCast(di, bits), limit);
    if (HWY_LIKELY(hn::AllFalse(di, near))) continue;
    std::uint8_t mask[8] = {};
    hn::StoreMaskBits(di, near, mask);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if ((mask[lane / 8] >> lane % 8 & 1U) != 0) hit(context, i, j + lane);
  }
  for (; j < end; ++j)
    if (static_cast<unsigned>(std::popcount(query ^ list[j])) <= distance) hit(context, i, j);
}

void one(std::uint64_t query, const std::uint64_t* list, std::size_t size, unsigned distance, HitFn hit,
         void* context) {
  compare(query, list, 0, size, distance, 0, hit, context);
}

void groups(const std::uint64_t* list, const std::uint32_t* ends, std::size_t count, std::size_t largest,
            unsigned distance, HitFn hit, void* context) {
  std::size_t begin = 0;
  for (std::size_t g = 0; g < count; ++g) {
    const std::size_t end = ends[g];
    if (end - begin <= largest)
      for (std::size_t i = begin; i + 1 < end; ++i) compare(list[i], list, i + 1, end, distance, i, hit, context);
    begin = end;
  }
}

}  // namespace refrain::matching::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace refrain::matching {

HWY_EXPORT(one);
HWY_EXPORT(groups);

void find_within(std::uint64_t query, std::span<const std::uint64_t> list, unsigned distance, HitFn hit,
                 void* context) {
  HWY_DYNAMIC_DISPATCH(one)(query, list.data(), list.size(), distance, hit, context);
}

void find_pairs_within(std::span<const std::uint64_t> list, std::span<const std::uint32_t> ends, std::size_t largest,
                       unsigned distance, HitFn hit, void* context) {
  HWY_DYNAMIC_DISPATCH(groups)(list.data(), ends.data(), ends.size(), largest, distance, hit, context);
}

}  // namespace refrain::matching
#endif
