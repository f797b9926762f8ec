#include "engines/ngram/key_stream.h"

#include <algorithm>
#include <array>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/ngram/window_keys.cc"  // NOLINT
#include <hwy/foreach_target.h>                            // must come before highway.h
#include <hwy/highway.h>

#ifndef REFRAIN_NGRAM_WINDOW_KEYS_SIZES
#define REFRAIN_NGRAM_WINDOW_KEYS_SIZES
namespace refrain::ngram {

inline constexpr unsigned kMostTokens = 64;
inline constexpr std::size_t kLevels = std::bit_width(kMostTokens);  // windows of 1, 2, 4, ... 64 tokens
inline constexpr std::size_t kChunk = 256;  // n-grams at a time, so that all data stays in the cache

// Returns the level of the longest of these windows that is at most `size` tokens long; at least level 0.
constexpr unsigned level_of(unsigned size) {
  return static_cast<unsigned>(std::bit_width(size | 1U)) - 1;
}

// B^1, B^2, B^4, ...
inline constexpr std::array<std::uint64_t, kLevels> kPowers = [] {
  std::array<std::uint64_t, kLevels> powers{kGramBase};
  for (std::size_t i = 1; i < kLevels; ++i) powers[i] = powers[i - 1] * powers[i - 1];
  return powers;
}();

}  // namespace refrain::ngram
#endif

HWY_BEFORE_NAMESPACE();
namespace refrain::ngram::HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::uint64_t>;
using Vector = hn::VFromD<Words>;

// Computes out[i] = first[i] * power + second[i] for each i below `count`.
HWY_INLINE void join(const std::uint64_t* first, const std::uint64_t* second, std::uint64_t power, std::size_t count,
                     std::uint64_t* out) {
  const Words d;
  const auto factor = hn::Set(d, power);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    hn::StoreU(hn::Add(hn::Mul(hn::LoadU(d, first + i), factor), hn::LoadU(d, second + i)), d, out + i);
}

// The same as refrain::mix().
HWY_INLINE Vector mixed(Vector x, std::uint64_t first, std::uint64_t second) {
  const Words d;
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<32>(x)), hn::Set(d, first));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<29>(x)), hn::Set(d, second));
  return hn::Xor(x, hn::ShiftRight<32>(x));
}

// H of all windows of a chunk.
class Windows {
 public:
  // `longest` is the length of the longest windows that will be requested.
  HWY_INLINE void fill(const std::uint64_t* hashes, std::size_t count, unsigned longest) {
    levels_[0] = hashes;
    std::size_t windows = count + longest - 1;
    for (std::size_t k = 1; (1U << k) <= longest; ++k) {
      const std::size_t half = std::size_t{1} << (k - 1);
      windows -= half;
      join(levels_[k - 1], levels_[k - 1] + half, kPowers[k - 1], windows, doubled_[k - 1]);
      levels_[k] = doubled_[k - 1];
    }
  }
  // Returns H of the windows of `size` tokens. `room` is used for the result if `size` is not a power of two.
  HWY_INLINE const std::uint64_t* of(unsigned size, std::size_t count, std::uint64_t* room) const {
    unsigned k = level_of(size);
    const std::uint64_t* sum = levels_[k];
    for (unsigned done = 1U << k; done != size; done += 1U << k) {
      k = level_of(size - done);
      join(sum, levels_[k] + done, kPowers[k], count, room);
      sum = room;
    }
    return sum;
  }

 private:
  const std::uint64_t* levels_[kLevels];
  HWY_ALIGN std::uint64_t doubled_[kLevels - 1][kChunk + kMostTokens + kWindowPadding];
};

bool all_keys(const std::uint64_t* hashes, std::size_t count, const GramShape& shape, std::uint64_t* keys) {
  if (shape.n > kMostTokens) return false;
  const Words d;
  Windows windows;
  HWY_ALIGN std::uint64_t room[3][kChunk + kWindowPadding];
  for (std::size_t begin = 0; begin < count; begin += kChunk) {
    const std::size_t size = std::min(kChunk, count - begin);
    windows.fill(hashes + begin, size, shape.n);
    const std::uint64_t* of_a = windows.of(shape.a, size, room[0]);
    const std::uint64_t* of_b = windows.of(shape.b, size, room[1]);
    const std::uint64_t* of_n = windows.of(shape.n, size, room[2]);
    for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
      const auto top = mixed(hn::LoadU(d, of_a + i), kTopMix[0], kTopMix[1]);
      const auto middle = mixed(hn::LoadU(d, of_b + i), kMiddleMix[0], kMiddleMix[1]);
      const auto low = mixed(hn::LoadU(d, of_n + i), kLowMix[0], kLowMix[1]);
      const auto high =
          hn::Or(hn::ShiftLeft<48>(hn::ShiftRight<48>(top)), hn::ShiftLeft<32>(hn::ShiftRight<48>(middle)));
      hn::StoreU(hn::Or(high, hn::ShiftRight<32>(low)), d, keys + begin + i);
    }
  }
  return true;
}

#else

bool all_keys(const std::uint64_t* /*hashes*/, std::size_t /*count*/, const GramShape& /*shape*/,
              std::uint64_t* /*keys*/) {
  return false;
}

#endif

}  // namespace refrain::ngram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace refrain::ngram {

HWY_EXPORT(all_keys);

bool window_keys(const std::uint64_t* hashes, std::size_t count, const GramShape& shape, std::uint64_t* keys) {
  return HWY_DYNAMIC_DISPATCH(all_keys)(hashes, count, shape, keys);
}

}  // namespace refrain::ngram
#endif
