// Hashes of stretches of text that overlap almost entirely.
//
// A sample is hashed with all that its windows hold, and there is one every few dozen bytes. Short stretches are hashed
// one by one. Of long ones that would take time by the product of the text and their length, so a polynomial modulo
// 2^61 - 1 is carried along instead, which takes in every byte once at its end and once at its begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace refrain::substring {

// One a thread.
class StretchHasher {
 public:
  // For stretches of `least` bytes to `least` + SubstringPlan::kMaxSpan - 1.
  StretchHasher(std::size_t least, std::uint64_t seed);

  // What follows lies in another buffer, or in the same with other bytes.
  void reset() { begin_ = end_ = nullptr; }

  // The hash depends on the bytes alone. Quick where calls move on in the buffer.
  std::uint64_t hash(const char* begin, std::size_t size);

  // From here on stretches are long.
  static constexpr std::size_t kLong = 2048;

 private:
  std::uint64_t roll(const char* begin, std::size_t size);

  std::size_t least_;
  std::uint64_t seed_;
  std::uint64_t base_ = 0;
  std::vector<std::uint64_t> powers_;  // of the base: to the least size, and so on; none where stretches are short
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t before_begin_ = 0;  // the polynomial of all bytes from where it was started, up to there
  std::uint64_t before_end_ = 0;
};

}  // namespace refrain::substring
