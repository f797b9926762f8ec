// Hashes of stretches of text that overlap almost entirely.
//
// The hash of a sample covers everything that its windows contain, and there is a sample every few dozen bytes.
// Short stretches are hashed separately. For long ones, this would take time in proportion to the text times their
// length, so a polynomial modulo 2^61 - 1 is rolled along instead, which processes every byte once at its end and
// once at its begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace refrain::substring {

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

}  // namespace refrain::substring
