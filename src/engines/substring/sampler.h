// The sampler: determines which cores the windows of a stretch of text choose (see plan.h), and which stretches
// repeat themselves with a short period. Also the hashes of what the windows of a sample contain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/substring/plan.h"

namespace refrain::substring {

// Hashes of stretches of text that overlap almost entirely.
//
// The hash of a sample covers everything that its windows contain, and there is a sample every few dozen bytes.
// Short stretches are hashed separately. For long ones, this would take time in proportion to the text times their
// length, so a polynomial modulo 2^61 - 1 is rolled along instead, which processes every byte once at its end and
// once at its begin.
//
// Use one per thread.
class StretchHasher {
 public:
  // For stretches of `least` to `least` + SubstringPlan::kMaxSpan - 1 bytes.
  StretchHasher(std::size_t least, std::uint64_t seed);

  // Must be called before hashing in another buffer, or in the same one with other bytes.
  void reset() { begin_ = end_ = nullptr; }

  // The hash depends only on the bytes. Fast if consecutive calls move forward in the buffer.
  std::uint64_t hash(const char* begin, std::size_t size);

  // The least size of stretches that counts as long.
  static constexpr std::size_t kLong = 2048;

 private:
  std::uint64_t roll(const char* begin, std::size_t size);

  std::size_t least_;
  std::uint64_t seed_;
  std::uint64_t base_ = 0;
  std::vector<std::uint64_t> powers_;  // of the base, from exponent `least` on; empty for short stretches
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t before_begin_ = 0;  // the polynomial of the bytes from the starting point up to begin_
  std::uint64_t before_end_ = 0;
};

// In a run of one letter, or of any short period, every window or every few windows choose a core of their own. Such
// samples are folded: of those inside the run, which all look alike, only the first `min_count` are returned as
// samples; the windows of the others are returned as one fold, in which each window equals the one `period` bytes
// before it. There are no folds if places are requested, because all places of a fold would have to be listed
// anyway.
//
// The windows that begin in [first, first + windows) choose the core at `core`; first <= core < first + span.
// Offsets are relative to the begin of the stretch.
struct Sample {
  std::uint32_t core;
  std::uint32_t first;
  std::uint32_t windows;
  friend bool operator==(const Sample&, const Sample&) = default;
};

// Windows [first, first + windows) each equal the one `period` before it, and occur at least min_count times in all.
struct Fold {
  std::uint32_t first;
  std::uint32_t windows;
  std::uint32_t period;
  friend bool operator==(const Fold&, const Fold&) = default;
};

// Use one per thread; it keeps its buffers.
class Sampler {
 public:
  explicit Sampler(const SubstringPlan& plan) : plan_(plan) {}

  // Samples the windows that begin in text[0, windows). text[0, windows + length - 1 + kPadding) must be readable.
  void sample(const char* text, std::size_t windows);
  static constexpr std::size_t kPadding = 128;
  // The largest number of windows per call, so that the order values stay in the cache.
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

// The plain twin of the choice, without folds: examines every core of every window.
std::vector<Sample> sample_plain(const SubstringPlan& plan, const char* text, std::size_t windows);

}  // namespace refrain::substring
