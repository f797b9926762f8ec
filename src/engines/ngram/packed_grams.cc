#include "engines/ngram/candidates.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/ngram/packed_grams.cc"  // NOLINT
#include <hwy/foreach_target.h>                             // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace refrain::ngram::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Kept numbers are written in place, but never beyond the position that is being read.
std::size_t keep_agreeing(std::uint64_t* numbers, std::size_t count, std::uint64_t limit) {
  std::size_t kept = 0;
  std::size_t i = 0;
  unsigned before = 0;  // 1 if the previous number agrees with this one
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<std::uint64_t, 8> d;
  const std::size_t lanes = hn::Lanes(d);
  for (; i + lanes < count; i += lanes) {
    const auto here = hn::LoadU(d, numbers + i);
    const auto next = hn::LoadU(d, numbers + i + 1);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Lt(hn::Xor(here, next), hn::Set(d, limit)), bits);
    const unsigned agrees = bits[0];
    bits[0] = static_cast<std::uint8_t>((agrees | agrees << 1U | before) & ((1U << lanes) - 1));
    before = agrees >> (lanes - 1);
    kept += hn::CompressBitsStore(here, bits, d, numbers + kept);
  }
#endif
  for (; i < count; ++i) {
    const std::uint64_t here = numbers[i];
    const unsigned agrees = i + 1 < count && (here ^ numbers[i + 1]) < limit ? 1 : 0;
    numbers[kept] = here;
    kept += agrees | before;
    before = agrees;
  }
  return kept;
}

}  // namespace refrain::ngram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace refrain::ngram {

HWY_EXPORT(keep_agreeing);

std::size_t keep_neighbours(std::span<std::uint64_t> numbers, unsigned bits) {
  if (bits >= 64) return numbers.size() < 2 ? 0 : numbers.size();
  return HWY_DYNAMIC_DISPATCH(keep_agreeing)(numbers.data(), numbers.size(), std::uint64_t{1} << bits);
}

}  // namespace refrain::ngram
#endif
