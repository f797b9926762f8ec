#include "engines/substring/sampler.h"

#include <xxhash.h>

#include "base/hash.h"
#include "engines/substring/plan.h"

namespace refrain::substring {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61U) - 1;

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return add(static_cast<std::uint64_t>(product) & kPrime, static_cast<std::uint64_t>(product >> 61U));
}

}  // namespace

StretchHasher::StretchHasher(std::size_t least, std::uint64_t seed) : least_(least), seed_(seed) {
  if (least < kLong) return;
  base_ = XXH3_64bits_withSeed(&least, sizeof(least), seed) % (kPrime - 512) + 257;
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < least; ++i) power = multiply(power, base_);
  for (std::size_t i = 0; i < SubstringPlan::kMaxSpan; ++i) {
    powers_.push_back(power);
    power = multiply(power, base_);
  }
}

std::uint64_t StretchHasher::hash(const char* begin, std::size_t size) {
  return powers_.empty() ? XXH3_64bits_withSeed(begin, size, seed_)
                         : mix(roll(begin, size), 0xC2B2AE3D27D4EB4FU, 0x165667B19E3779F9U);
}

std::uint64_t StretchHasher::roll(const char* begin, std::size_t size) {
  const char* const end = begin + size;
  if (end_ == nullptr || begin < begin_ || begin > end_ || end < end_) {
    begin_ = end_ = begin;
    before_begin_ = before_end_ = 0;
  }
  const auto take = [this](std::uint64_t polynomial, char byte) {
    return add(multiply(polynomial, base_), static_cast<unsigned char>(byte) + std::uint64_t{1});
  };
  // The two are interleaved, so that each waits only for its own multiplication.
  while (begin_ != begin && end_ != end) {
    before_begin_ = take(before_begin_, *begin_++);
    before_end_ = take(before_end_, *end_++);
  }
  while (begin_ != begin) before_begin_ = take(before_begin_, *begin_++);
  while (end_ != end) before_end_ = take(before_end_, *end_++);
  return add(before_end_, kPrime - multiply(before_begin_, powers_[size - least_]));
}

}  // namespace refrain::substring
