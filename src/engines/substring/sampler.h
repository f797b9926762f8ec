// The sampler: which cores the windows of a stretch of text choose (see plan.h), and which stretches repeat themselves
// with a short period.
//
// In a run of one letter, or of any short period, every window or every few choose a core of their own. Such samples
// are folded: of those in the inside of the run, which all look alike, only the first `min_count` are given out, and
// the windows of the others as one fold: each of them equals the window `period` bytes before it. Not where places are
// asked for: those of a fold would all have to be listed anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/substring/plan.h"

namespace refrain::substring {

// Windows begin [first, first + windows) choose the core at `core`; first <= core < first + span. Offsets from the
// stretch's begin.
struct Sample {
  std::uint32_t core;
  std::uint32_t first;
  std::uint32_t windows;
  friend bool operator==(const Sample&, const Sample&) = default;
};

// Windows [first, first + windows) are each equal to the one `period` before it, and to at least min_count in all.
struct Fold {
  std::uint32_t first;
  std::uint32_t windows;
  std::uint32_t period;
  friend bool operator==(const Fold&, const Fold&) = default;
};

// One a thread: it keeps its buffers.
class Sampler {
 public:
  explicit Sampler(const SubstringPlan& plan) : plan_(plan) {}

  // The samples of the windows that begin in text[0, windows); text[0, windows + length - 1 + kPadding) can be read.
  void sample(const char* text, std::size_t windows);
  static constexpr std::size_t kPadding = 128;
  // At the most so many windows at once: the order values stay in the cache.
  static constexpr std::size_t kMaxWindows = std::size_t{32} << 10;

  const std::vector<Sample>& samples() const { return samples_; }
  const std::vector<Fold>& folds() const { return folds_; }

 private:
  void fold(const char* text, std::size_t windows);

  const SubstringPlan& plan_;
  std::vector<std::int32_t> values_;
  std::vector<Sample> samples_;
  std::vector<Fold> folds_;
};

// The plain twin of the choice, without folds: looks at every core of every window.
std::vector<Sample> sample_plain(const SubstringPlan& plan, const char* text, std::size_t windows);

}  // namespace refrain::substring
