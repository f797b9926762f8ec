// Stores numbers in as few bits as they need, packed into bytes, the least significant bit first.
//
//   gamma(x)    x >= 1: (bit width - 1) zeros, a one, and the bits below its highest: 2 log2 x + 1 bits
//   delta(x)    x >= 1: the same with the width as a gamma: for numbers that can be large
//   rice(x, r)  x >> r zeros, a one, and the r low bits: for numbers around 2^r
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace refrain::store {

// Appends to a sequence of bytes: a std::string or an Array<char>.
template <class Bytes>
class BitWriter {
 public:
  // Appends at the end of `out`, which must outlive this writer.
  explicit BitWriter(Bytes& out) : out_(out) {}

  // Writes the low `count` bits of `value`, at most 56; its other bits must be zero.
  void bits(std::uint64_t value, unsigned count) {
    word_ |= value << used_;
    used_ += count;
    if (used_ < kWordBits) return;
    append(sizeof word_);
    used_ -= kWordBits;
    word_ = used_ == 0 ? 0 : value >> (count - used_);
  }
  void wide(std::uint64_t value, unsigned count) {
    if (count > 32) {
      bits(value & 0xFFFFFFFFU, 32);
      value >>= 32U;
      count -= 32;
    }
    bits(value, count);
  }
  void unary(std::uint64_t zeros) {
    for (; zeros >= 32; zeros -= 32) bits(0, 32);
    bits(std::uint64_t{1} << zeros, static_cast<unsigned>(zeros) + 1);
  }
  void gamma(std::uint64_t x) {
    const auto width = static_cast<unsigned>(std::bit_width(x));
    unary(width - 1);
    wide(x ^ std::uint64_t{1} << (width - 1), width - 1);
  }
  void delta(std::uint64_t x) {
    const auto width = static_cast<unsigned>(std::bit_width(x));
    gamma(width);
    wide(x ^ std::uint64_t{1} << (width - 1), width - 1);
  }
  void rice(std::uint64_t x, unsigned low) {
    unary(x >> low);
    wide(x & ((std::uint64_t{1} << low) - 1), low);
  }
  // The number of bits written to `out` by this writer, if `out` was empty at first.
  std::uint64_t size() const { return out_.size() * 8 + used_; }
  // Writes the first `count` bits of `bytes`.
  void copy(std::string_view bytes, std::uint64_t count) {
    std::size_t i = 0;
    for (; count >= 8; count -= 8) bits(static_cast<std::uint8_t>(bytes[i++]), 8);
    if (count > 0) bits(static_cast<std::uint8_t>(bytes[i]) & ((1U << count) - 1), static_cast<unsigned>(count));
  }
  // Fills the last byte with zeros. Call this before reading the bytes.
  void finish() {
    append((used_ + 7) / 8);
    word_ = 0;
    used_ = 0;
  }

 private:
  static constexpr unsigned kWordBits = 64;

  void append(std::size_t bytes) { out_.append(std::string_view(reinterpret_cast<const char*>(&word_), bytes)); }

  Bytes& out_;
  std::uint64_t word_ = 0;  // bits that are not in `out` yet
  unsigned used_ = 0;       // below kWordBits between calls
};

// Reads the output of a BitWriter. Past the end it reads zeros, and ok() becomes false: check it now and then, and
// before relying on anything that was read.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

  static constexpr unsigned kPeekBits = 56;
  // At least the next kPeekBits bits, without consuming them.
  std::uint64_t peek() const {
    const std::size_t byte = at_ / 8;
    std::uint64_t word = 0;
    if (byte + sizeof word <= bytes_.size())
      std::memcpy(&word, bytes_.data() + byte, sizeof word);
    else if (byte < bytes_.size())
      std::memcpy(&word, bytes_.data() + byte, bytes_.size() - byte);
    return word >> (at_ % 8);
  }

  std::string_view bytes() const { return bytes_; }
  bool ok() const { return at_ <= bytes_.size() * 8; }
  std::uint64_t position() const { return at_; }
  void skip(std::uint64_t count) { at_ += std::min<std::uint64_t>(count, bytes_.size() * 8 + 1); }

  std::uint64_t bits(unsigned count) {
    const std::uint64_t value = peek() & ((std::uint64_t{1} << count) - 1);
    at_ += count;
    return value;
  }
  std::uint64_t wide(unsigned count) {
    if (count <= 32) return bits(count);
    const std::uint64_t low = bits(32);
    return low | bits(count - 32) << 32U;
  }
  std::uint64_t zeros() {
    std::uint64_t zeros = 0;
    for (;;) {
      const std::uint64_t word = peek() & kPeekMask;
      if (word != 0) {
        const auto more = static_cast<unsigned>(std::countr_zero(word));
        at_ += more + 1;
        return zeros + more;
      }
      zeros += kPeekBits;
      at_ += kPeekBits;
      if (!ok()) return zeros;
    }
  }
  std::uint64_t gamma() { return rest(zeros()); }
  std::uint64_t delta() { return rest(gamma() - 1); }
  std::uint64_t rice(unsigned low) {
    const std::uint64_t high = zeros() << low;
    return high | wide(low);
  }

 private:
  static constexpr std::uint64_t kPeekMask = (std::uint64_t{1} << kPeekBits) - 1;

  // The number whose highest bit is followed by the next `width` bits.
  std::uint64_t rest(std::uint64_t width) {
    if (width > 63) {  // no writer writes this
      at_ = bytes_.size() * 8 + 1;
      return 1;
    }
    return std::uint64_t{1} << width | wide(static_cast<unsigned>(width));
  }

  std::string_view bytes_;
  std::uint64_t at_ = 0;
};

}  // namespace refrain::store
