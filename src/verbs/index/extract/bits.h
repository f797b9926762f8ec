// One bit for each token of a document.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/array.h"

namespace refrain::verbs::index {

class TokenBits {
 public:
  TokenBits(MemoryBudget& budget, const char* what) : words_(budget, what) {}

  // Clears all bits and resizes to `tokens` tokens. Up to 64 bits behind the last one may be read.
  void reset(std::uint64_t tokens) {
    words_.clear();
    words_.resize(tokens / 64 + 2);
    std::fill(words_.begin(), words_.end(), 0);
  }

  std::uint64_t at(std::uint64_t i) const { return words_[i / 64] >> (i % 64) & 1U; }
  void set(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last;) {
      const std::uint64_t end = word_end(i, last);
      words_[i / 64] |= mask(i, end);
      i = end;
    }
  }
  // The number of bits that are set in [first, last).
  std::uint64_t count(std::uint64_t first, std::uint64_t last) const {
    std::uint64_t count = 0;
    for (std::uint64_t i = first; i < last;) {
      const std::uint64_t end = word_end(i, last);
      count += static_cast<std::uint64_t>(__builtin_popcountll(words_[i / 64] & mask(i, end)));
      i = end;
    }
    return count;
  }
  // Sets the beginnings of all windows of `span` tokens that lie entirely within a stretch.
  void set_windows(std::uint64_t first, std::uint64_t length, std::uint64_t span) {
    if (length >= span) set(first, first + length - span + 1);
  }

 private:
  static std::uint64_t word_end(std::uint64_t i, std::uint64_t last) { return std::min(last, (i / 64 + 1) * 64); }
  static std::uint64_t mask(std::uint64_t i, std::uint64_t end) {
    return (end - i == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (end - i)) - 1) << (i % 64);
  }
  Array<std::uint64_t> words_;
};

}  // namespace refrain::verbs::index
