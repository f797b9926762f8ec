#include "engines/sketch/loss.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/sketch/feature_set.cc"  // NOLINT
#include <hwy/foreach_target.h>                             // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace refrain::sketch::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Compares a vector of one set with each of as many features of the other, then advances the side that ends first.
// No branch depends on the features, except the one that gives up when `least` is out of reach.
std::size_t merge(const std::uint64_t* HWY_RESTRICT a, std::size_t a_size, const std::uint64_t* HWY_RESTRICT b,
                  std::size_t b_size, std::size_t least) {
  const hn::CappedTag<std::uint64_t, 8> d;
  const std::size_t n = hn::Lanes(d);
  std::size_t common = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i + n <= a_size && j + n <= b_size) {
    if (common + HWY_MIN(a_size - i, b_size - j) < least) return common;
    const auto some = hn::LoadU(d, b + j);
    auto equal = hn::Eq(some, hn::Set(d, a[i]));
    for (std::size_t k = 1; k < n; ++k) equal = hn::Or(equal, hn::Eq(some, hn::Set(d, a[i + k])));
    common += hn::CountTrue(d, equal);
    const std::uint64_t a_last = a[i + n - 1];
    const std::uint64_t b_last = b[j + n - 1];
    i += a_last <= b_last ? n : 0;
    j += b_last <= a_last ? n : 0;
  }
  while (i < a_size && j < b_size) {
    const std::uint64_t x = a[i];
    const std::uint64_t y = b[j];
    common += x == y ? 1 : 0;
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  return common;
}

}  // namespace refrain::sketch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace refrain::sketch {

HWY_EXPORT(merge);

namespace {

// If one set is more than this many times as large as the other, the members of the small one are searched, not
// merged.
constexpr std::size_t kSearchRatio = 32;
// Searches for each of the few in strides that double, starting from where the previous one was.
std::size_t gallop(std::span<const std::uint64_t> few, std::span<const std::uint64_t> many, std::size_t least) {
  std::size_t common = 0;
  auto at = many.begin();
  for (std::size_t i = 0; i < few.size() && at != many.end(); ++i) {
    if (common + (few.size() - i) < least) return common;
    std::ptrdiff_t stride = 1;
    auto low = at;
    while (many.end() - at > stride && at[stride] < few[i]) {
      low = at + stride;
      stride *= 2;
    }
    at = std::lower_bound(low, many.end() - at > stride ? at + stride : many.end(), few[i]);
    if (at != many.end() && *at == few[i]) ++common;
  }
  return common;
}

double share(std::size_t common, std::size_t all) {
  return all == common ? 1 : static_cast<double>(common) / static_cast<double>(all - common);
}

}  // namespace

void make_set(std::vector<std::uint64_t>& features) {
  hwy::Sorter()(features.data(), features.size(), hwy::SortAscending());
  features.erase(std::unique(features.begin(), features.end()), features.end());
}

std::size_t common_features(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t least) {
  if (a.size() > b.size()) std::swap(a, b);
  if (a.size() < least) return 0;
  if (b.size() / kSearchRatio > a.size()) return gallop(a, b, least);
  return HWY_DYNAMIC_DISPATCH(merge)(a.data(), a.size(), b.data(), b.size(), least);
}

double jaccard(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  return share(common_features(a, b), a.size() + b.size());
}

double jaccard_from(double threshold, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  const std::size_t least = common_for(threshold, a.size(), b.size());
  if (least > std::min(a.size(), b.size())) return 0;
  const std::size_t common = common_features(a, b, least);
  return common < least ? 0 : share(common, a.size() + b.size());
}

std::size_t common_for(double threshold, std::size_t a, std::size_t b) {
  const std::size_t all = a + b;
  // The estimate may be off by one, so it is corrected with the quotient that jaccard() computes.
  const double estimate = threshold / (1 + threshold) * static_cast<double>(all);
  auto common = static_cast<std::size_t>(std::clamp(estimate, 0.0, static_cast<double>(all)));
  while (common > 0 && share(common - 1, all) >= threshold) --common;
  while (common < all && share(common, all) < threshold) ++common;
  return common;
}

}  // namespace refrain::sketch
#endif
