#include "engines/sketch/loss.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace refrain::sketch {

namespace {

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // so that the order of neighbors counts

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
                  unsigned window, text::FeatureStream& stream, std::vector<LostRun>* runs) {
  const auto in = [](std::span<const std::uint64_t> set, std::uint64_t feature) {
    return std::binary_search(set.begin(), set.end(), feature);
  };
  LossCount count(window, runs);
  stream.start(text);
  for (std::span<const std::uint64_t> features; stream.next(features);)
    for (const std::uint64_t feature : features) count.add(in(other, feature) || !in(compared, feature));
  return count.finish();
}

Loss loss_of(std::span<const std::uint64_t> windows, std::span<const std::uint64_t> own, unsigned window,
             std::vector<LostRun>* runs) {
  if (own.empty()) return {};
  const FewFeatures few(own);
  LossCount count(window, runs);
  for (const std::uint64_t feature : windows) count.add(!few.contains(feature));
  return count.finish();
}

Loss loss_of(std::string_view text, std::span<const std::uint64_t> own, unsigned window, text::FeatureStream& stream,
             std::vector<LostRun>* runs) {
  if (own.empty()) return {};
  const FewFeatures few(own);
  LossCount count(window, runs);
  stream.start(text);
  for (std::span<const std::uint64_t> features; stream.next(features);)
    for (const std::uint64_t feature : features) count.add(!few.contains(feature));
  return count.finish();
}

void LossScale::read_lost(std::string_view text, std::span<const LostRun> runs, text::FeatureStream& tokens) {
  std::uint64_t lost = 0;
  for (const LostRun& run : runs) lost += run.end - run.begin;
  lost_.clear();
  lost_.reserve(lost);
  around_.assign(2 * runs.size(), 0);
  tokens_ = 0;
  std::uint64_t before = 0;
  std::size_t run = 0;
  tokens.start(text);
  for (std::span<const std::uint64_t> block; tokens.next(block);)
    for (const std::uint64_t token : block) {
      if (run < runs.size() && tokens_ == runs[run].end) around_[2 * run++ + 1] = token;
      if (run < runs.size() && tokens_ == runs[run].begin) around_[2 * run] = before;
      if (run < runs.size() && tokens_ >= runs[run].begin) lost_.push_back(token);
      before = token;
      ++tokens_;
    }
}

LossWeight LossScale::weigh(std::span<const LostRun> runs, std::string_view other, text::FeatureStream& tokens) {
  words_ = lost_;
  make_set(words_);
  enum State : std::uint8_t { is_new, is_counted, is_known };
  std::vector<State> states(words_.size());
  const auto state_of = [&](std::uint64_t token) -> State& {
    return states[static_cast<std::size_t>(std::ranges::lower_bound(words_, token) - words_.begin())];
  };
  const FewFeatures few(words_);
  tokens.start(other);
  for (std::span<const std::uint64_t> block; tokens.next(block);)
    for (const std::uint64_t token : block)
      if (few.contains(token)) state_of(token) = is_known;
  LossWeight weight{.tokens = tokens_, .lost = lost_.size()};
  weight.words = static_cast<std::uint64_t>(std::ranges::count(states, is_new));
  contexts_.clear();
  contexts_.reserve(lost_.size());
  std::size_t at = 0;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const std::size_t end = at + static_cast<std::size_t>(runs[run].end - runs[run].begin);
    weight.longest = std::max<std::uint64_t>(weight.longest, end - at);
    std::uint64_t before = around_[2 * run];
    std::uint64_t quarters = 0;
    for (; at < end; before = lost_[at++]) {
      State& state = state_of(lost_[at]);
      quarters += state == is_new ? 4 : 1;
      if (state == is_known) continue;
      state = is_counted;
      if ((lost_[at] & 1U) != 0) continue;
      const std::uint64_t after = at + 1 < end ? lost_[at + 1] : around_[2 * run + 1];
      contexts_.push_back({lost_[at], before * kOdd + after});
    }
    weight.quarters = std::max(weight.quarters, quarters);
  }
  weight.contexts = most_contexts();
  return weight;
}

std::uint64_t LossScale::most_contexts() {
  std::ranges::sort(contexts_);
  contexts_.erase(std::unique(contexts_.begin(), contexts_.end()), contexts_.end());
  std::uint64_t most = 0;
  for (auto first = contexts_.begin(); first != contexts_.end();) {
    const auto next = std::find_if(first, contexts_.end(), [&](const Context& one) { return one.word != first->word; });
    most = std::max(most, static_cast<std::uint64_t>(next - first));
    first = next;
  }
  return most;
}

}  // namespace refrain::sketch
