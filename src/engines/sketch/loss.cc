#include "engines/sketch/loss.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace refrain::sketch {

namespace {

// A small set of features. Most windows are held, so a bit set by some of a feature's bits rules them out quickly.
class FewFeatures {
 public:
  explicit FewFeatures(std::span<const std::uint64_t> features) : features_(features) {
    for (const std::uint64_t feature : features) bits_[place(feature)] |= bit(feature);
  }
  bool contains(std::uint64_t feature) const {
    return (bits_[place(feature)] & bit(feature)) != 0 &&
           std::binary_search(features_.begin(), features_.end(), feature);
  }

 private:
  static std::size_t place(std::uint64_t feature) { return feature >> 6U & 63U; }
  static std::uint64_t bit(std::uint64_t feature) { return std::uint64_t{1} << (feature & 63U); }

  std::span<const std::uint64_t> features_;
  std::array<std::uint64_t, 64> bits_ = {};
};

}  // namespace

void own_features(std::span<const std::uint64_t> of, std::span<const std::uint64_t> other,
                  std::vector<std::uint64_t>& own) {
  own.clear();
  std::set_difference(of.begin(), of.end(), other.begin(), other.end(), std::back_inserter(own));
}

Loss loss_against(std::string_view text, std::span<const std::uint64_t> compared, std::span<const std::uint64_t> other,
                  unsigned window, text::FeatureStream& stream) {
  const auto in = [](std::span<const std::uint64_t> set, std::uint64_t feature) {
    return std::binary_search(set.begin(), set.end(), feature);
  };
  LossCount count(window);
  stream.start(text);
  for (std::span<const std::uint64_t> features; stream.next(features);)
    for (const std::uint64_t feature : features) count.add(in(other, feature) || !in(compared, feature));
  return count.finish();
}

Loss loss_of(std::span<const std::uint64_t> windows, std::span<const std::uint64_t> own, unsigned window) {
  if (own.empty()) return {};
  const FewFeatures few(own);
  LossCount count(window);
  for (const std::uint64_t feature : windows) count.add(!few.contains(feature));
  return count.finish();
}

Loss loss_of(std::string_view text, std::span<const std::uint64_t> own, unsigned window, text::FeatureStream& stream) {
  if (own.empty()) return {};
  const FewFeatures few(own);
  LossCount count(window);
  stream.start(text);
  for (std::span<const std::uint64_t> features; stream.next(features);)
    for (const std::uint64_t feature : features) count.add(!few.contains(feature));
  return count.finish();
}

}  // namespace refrain::sketch
