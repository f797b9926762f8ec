#include "engines/ngram/key_sample.h"

#include <algorithm>
#include <bit>

namespace refrain::ngram {

KeySampler::KeySampler(std::uint64_t seed, std::size_t most) : state_(seed * 0x9E3779B97F4A7C15ULL + 1), most_(most) {
  keys_.reserve(most);
}

std::uint64_t KeySampler::random() {
  state_ ^= state_ << 13U;
  state_ ^= state_ >> 7U;
  state_ ^= state_ << 17U;
  return state_;
}

void KeySampler::take(std::uint64_t key) {
  keys_.push_back(key);
  if (keys_.size() == most_) thin(interval_ * 2);
  // The steps are random, because a constant interval could coincide with a period of the text.
  skip_ = interval_ == 1 ? 0 : random() % (2 * interval_ - 1);
}

void KeySampler::thin(std::uint64_t interval) {
  for (; interval_ < interval; interval_ *= 2)
    std::erase_if(keys_, [&](std::uint64_t) { return random() >> 63U != 0; });
}

Array<std::uint64_t> joined_sample(std::span<KeySampler> parts, MemoryBudget& budget) {
  std::uint64_t interval = 1;
  for (const KeySampler& part : parts) interval = std::max(interval, part.interval());
  Array<std::uint64_t> sample(budget, "a sample of the n-grams");
  for (KeySampler& part : parts) {
    part.thin(interval);
    sample.append(part.keys());
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

KeyParts::KeyParts(std::uint64_t low, std::uint64_t high, std::span<const std::uint64_t> sample, std::size_t parts,
                   unsigned cell_bits, unsigned position_bits, MemoryBudget& budget)
    : low_(low),
      high_(high),
      position_bits_(position_bits),
      cell_bits_(std::min(
          {cell_bits, (64 - position_bits) / 2, static_cast<unsigned>(std::bit_width(sample.size() / parts / 4))})),
      inside_bits_(64 - position_bits - cell_bits_),
      begins_(budget, "parts of the keys"),
      shifts_(budget, "parts of the keys"),
      tops_(budget, "parts of the keys") {
  begins_.push_back(low);
  const std::size_t cells = parts << cell_bits_;
  for (std::size_t i = 1; i < cells && !sample.empty(); ++i) {
    const std::uint64_t key = sample[i * sample.size() / cells];
    if (key > begins_[begins_.size() - 1]) begins_.push_back(key);
  }
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    const std::uint64_t last = (i + 1 < begins_.size() ? begins_[i + 1] - 1 : high) - begins_[i];
    const auto bits = static_cast<unsigned>(std::bit_width(last));
    shifts_.push_back(static_cast<std::uint8_t>(bits > inside_bits_ ? bits - inside_bits_ : 0));
  }
  tops_.resize((std::size_t{1} << 16U) + 1);
  std::size_t below = 0;
  for (std::size_t top = 0; top < tops_.size(); ++top) {
    while (below < begins_.size() && begins_[below] >> 48U < top) ++below;
    tops_[top] = static_cast<std::uint32_t>(below);
  }
}

}  // namespace refrain::ngram
