#include "engines/sketch/minhash.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "refrain/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/sketch/minhash.cc"  // NOLINT
#include <hwy/foreach_target.h>                         // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace refrain::sketch::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<std::uint32_t, 16>;  // the number of lanes is a multiple of 16
using V = hn::Vec<D>;

// Adds all features to the lanes of four vectors, which stay in registers meanwhile. Sixteen registers are enough.
HWY_INLINE void add_to_four(const std::uint64_t* HWY_RESTRICT features, std::size_t count,
                            const std::uint32_t* HWY_RESTRICT factors, const std::uint32_t* HWY_RESTRICT addends,
                            std::uint32_t* HWY_RESTRICT signature) {
  const D d;
  const std::size_t n = hn::Lanes(d);
  const V factor0 = hn::LoadU(d, factors), factor1 = hn::LoadU(d, factors + n);
  const V factor2 = hn::LoadU(d, factors + 2 * n), factor3 = hn::LoadU(d, factors + 3 * n);
  const V addend0 = hn::LoadU(d, addends), addend1 = hn::LoadU(d, addends + n);
  const V addend2 = hn::LoadU(d, addends + 2 * n), addend3 = hn::LoadU(d, addends + 3 * n);
  V least0 = hn::LoadU(d, signature), least1 = hn::LoadU(d, signature + n);
  V least2 = hn::LoadU(d, signature + 2 * n), least3 = hn::LoadU(d, signature + 3 * n);
  for (std::size_t i = 0; i < count; ++i) {
    const V feature = hn::Set(d, static_cast<std::uint32_t>(features[i] >> 32U));
    least0 = hn::Min(least0, hn::Add(hn::Mul(factor0, feature), addend0));
    least1 = hn::Min(least1, hn::Add(hn::Mul(factor1, feature), addend1));
    least2 = hn::Min(least2, hn::Add(hn::Mul(factor2, feature), addend2));
    least3 = hn::Min(least3, hn::Add(hn::Mul(factor3, feature), addend3));
  }
  hn::StoreU(least0, d, signature);
  hn::StoreU(least1, d, signature + n);
  hn::StoreU(least2, d, signature + 2 * n);
  hn::StoreU(least3, d, signature + 3 * n);
}

HWY_INLINE void add_to_one(const std::uint64_t* HWY_RESTRICT features, std::size_t count,
                           const std::uint32_t* HWY_RESTRICT factors, const std::uint32_t* HWY_RESTRICT addends,
                           std::uint32_t* HWY_RESTRICT signature) {
  const D d;
  const V factor = hn::LoadU(d, factors);
  const V addend = hn::LoadU(d, addends);
  V least = hn::LoadU(d, signature);
  for (std::size_t i = 0; i < count; ++i) {
    const V feature = hn::Set(d, static_cast<std::uint32_t>(features[i] >> 32U));
    least = hn::Min(least, hn::Add(hn::Mul(factor, feature), addend));
  }
  hn::StoreU(least, d, signature);
}

void add_all(const std::uint64_t* features, std::size_t count, const std::uint32_t* factors,
             const std::uint32_t* addends, std::size_t lanes, std::uint32_t* signature) {
  const std::size_t n = hn::Lanes(D());
  std::size_t i = 0;
  for (; i + 4 * n <= lanes; i += 4 * n) add_to_four(features, count, factors + i, addends + i, signature + i);
  for (; i < lanes; i += n) add_to_one(features, count, factors + i, addends + i, signature + i);
}

// Once the count can no longer reach `least`, any smaller number may be returned.
HWY_INLINE std::size_t count_equal_from(const std::uint8_t* HWY_RESTRICT a, const std::uint8_t* HWY_RESTRICT b,
                                        std::size_t size, std::size_t least) {
  const hn::CappedTag<std::uint8_t, 64> wide;
  const hn::CappedTag<std::uint8_t, 16> narrow;
  std::size_t equal = 0;
  std::size_t i = 0;
  for (const std::size_t n = hn::Lanes(wide); i + n <= size; i += n) {
    if (equal + size - i < least) return equal;
    equal += hn::CountTrue(wide, hn::Eq(hn::LoadU(wide, a + i), hn::LoadU(wide, b + i)));
  }
  for (const std::size_t n = hn::Lanes(narrow); i + n <= size; i += n)
    equal += hn::CountTrue(narrow, hn::Eq(hn::LoadU(narrow, a + i), hn::LoadU(narrow, b + i)));
  return equal;
}

unsigned count_equal(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
  return static_cast<unsigned>(count_equal_from(a, b, size, 0));
}

void find_equal(const std::uint8_t* one, const std::uint8_t* many, std::size_t count, std::size_t size, unsigned least,
                std::vector<std::uint32_t>& found) {
  for (std::size_t i = 0; i < count; ++i)
    if (count_equal_from(one, many + i * size, size, least) >= least) found.push_back(static_cast<std::uint32_t>(i));
}

}  // namespace refrain::sketch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace refrain::sketch {

HWY_EXPORT(add_all);
HWY_EXPORT(count_equal);
HWY_EXPORT(find_equal);

namespace {

// splitmix64 (Steele, Lea, Flood 2014): a counter that is mixed.
constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15ULL;

std::uint64_t scatter(std::uint64_t x) {
  x = (x ^ x >> 30U) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ x >> 27U) * 0x94D049BB133111EBULL;
  return x ^ x >> 31U;
}

}  // namespace

MinHash::MinHash(unsigned lanes, std::uint64_t seed) {
  if (lanes == 0 || lanes > kMaxLanes || lanes % 16 != 0)
    throw Error(Errc::invalid_argument, "`lanes`: must be a multiple of 16 from 16 to " + std::to_string(kMaxLanes) +
                                            ", not " + std::to_string(lanes));
  factors_.resize(lanes);
  addends_.resize(lanes);
  std::uint64_t state = scatter(seed);
  for (unsigned i = 0; i < lanes; ++i) {
    const std::uint64_t drawn = scatter(state += kGamma);
    factors_[i] = static_cast<std::uint32_t>(drawn) | 1U;
    addends_[i] = static_cast<std::uint32_t>(drawn >> 32U);
  }
}

void MinHash::start(std::uint32_t* signature) const {
  std::fill_n(signature, lanes(), std::numeric_limits<std::uint32_t>::max());
}

void MinHash::add(std::span<const std::uint64_t> features, std::uint32_t* signature) const {
  HWY_DYNAMIC_DISPATCH(add_all)
  (features.data(), features.size(), factors_.data(), addends_.data(), factors_.size(), signature);
}

void MinHash::add_plain(std::span<const std::uint64_t> features, std::uint32_t* signature) const {
  for (const std::uint64_t feature : features) {
    const auto half = static_cast<std::uint32_t>(feature >> 32U);
    for (std::size_t i = 0; i < factors_.size(); ++i)
      signature[i] = std::min(signature[i], factors_[i] * half + addends_[i]);
  }
}

unsigned equal_bytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(count_equal)(a, b, size);
}

void find_equal_bytes(const std::uint8_t* one, const std::uint8_t* many, std::size_t count, std::size_t size,
                      unsigned least, std::vector<std::uint32_t>& found) {
  HWY_DYNAMIC_DISPATCH(find_equal)(one, many, count, size, least, found);
}

unsigned equal_bytes_plain(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
  unsigned equal = 0;
  for (std::size_t i = 0; i < size; ++i) equal += a[i] == b[i] ? 1 : 0;
  return equal;
}

double similarity_of(unsigned equal, unsigned lanes) {
  const double share = static_cast<double>(equal) / lanes;
  return std::max(0.0, (share - 1.0 / 256) / (1 - 1.0 / 256));
}

unsigned least_equal(double threshold, unsigned lanes) {
  const double chance = threshold + (1 - threshold) / 256;
  const double deviation = std::sqrt(chance * (1 - chance) / lanes);
  return static_cast<unsigned>(std::max(0.0, std::ceil((chance - 4 * deviation) * lanes)));
}

}  // namespace refrain::sketch
#endif
