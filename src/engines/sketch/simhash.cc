#include "engines/sketch/simhash.h"

#include <bit>

namespace refrain::sketch {

namespace {

// low + 2 high = a + b + c, bit by bit.
inline void add3(std::uint64_t& high, std::uint64_t& low, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t either = a ^ b;
  high = (a & b) | (either & c);
  low = either ^ c;
}

}  // namespace

void SimHashCounter::add(std::span<const std::uint64_t> features) {
  std::uint64_t ones = planes_[0];
  std::uint64_t twos = planes_[1];
  std::uint64_t fours = planes_[2];
  std::uint64_t eights = planes_[3];
  const std::uint64_t* f = features.data();
  std::size_t left = features.size();
  for (; left >= 16; left -= 16, f += 16) {
    std::uint64_t twos_a = 0;
    std::uint64_t twos_b = 0;
    std::uint64_t fours_a = 0;
    std::uint64_t fours_b = 0;
    std::uint64_t eights_a = 0;
    std::uint64_t eights_b = 0;
    std::uint64_t sixteens = 0;
    add3(twos_a, ones, ones, f[0], f[1]);
    add3(twos_b, ones, ones, f[2], f[3]);
    add3(fours_a, twos, twos, twos_a, twos_b);
    add3(twos_a, ones, ones, f[4], f[5]);
    add3(twos_b, ones, ones, f[6], f[7]);
    add3(fours_b, twos, twos, twos_a, twos_b);
    add3(eights_a, fours, fours, fours_a, fours_b);
    add3(twos_a, ones, ones, f[8], f[9]);
    add3(twos_b, ones, ones, f[10], f[11]);
    add3(fours_a, twos, twos, twos_a, twos_b);
    add3(twos_a, ones, ones, f[12], f[13]);
    add3(twos_b, ones, ones, f[14], f[15]);
    add3(fours_b, twos, twos, twos_a, twos_b);
    add3(eights_b, fours, fours, fours_a, fours_b);
    add3(sixteens, eights, eights, eights_a, eights_b);
    carry(sixteens, 4);
  }
  planes_[0] = ones;
  planes_[1] = twos;
  planes_[2] = fours;
  planes_[3] = eights;
  for (; left != 0; --left, ++f) carry(*f, 0);
  count_ += features.size();
}

std::uint64_t SimHashCounter::fingerprint(bool tie_sets_bit) const {
  if (count_ == 0) return 0;
  // A bit is set if it was counted at least this often.
  const std::uint64_t enough = tie_sets_bit ? (count_ + 1) / 2 : count_ / 2 + 1;
  std::uint64_t reached = ~std::uint64_t{0};
  const auto planes = static_cast<unsigned>(std::bit_width(count_));
  for (unsigned p = 0; p < planes; ++p) reached = (enough >> p & 1U) != 0 ? planes_[p] & reached : planes_[p] | reached;
  return reached;
}

std::uint64_t simhash_plain(std::span<const std::uint64_t> features, bool tie_sets_bit) {
  std::array<std::int64_t, 64> sums{};
  for (const std::uint64_t feature : features)
    for (unsigned bit = 0; bit < 64; ++bit) sums[bit] += (feature >> bit & 1U) != 0 ? 1 : -1;
  std::uint64_t fingerprint = 0;
  for (unsigned bit = 0; bit < 64; ++bit)
    if (sums[bit] > 0 || (sums[bit] == 0 && tie_sets_bit && !features.empty())) fingerprint |= std::uint64_t{1} << bit;
  return fingerprint;
}

}  // namespace refrain::sketch
