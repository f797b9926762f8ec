// Computes the keys of a document's n-grams (gram_key.h), either many at once or rolling, in constant time per token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engines/ngram/index/gram_key.h"
#include "text/tokenizer.h"

namespace refrain::ngram {

// Constants that all streams with the same n share.
struct KeyPlan {
  explicit KeyPlan(unsigned n);
  GramShape shape;
  // B^a, B^b and B^n: the factors of the token that leaves the window.
  std::uint64_t leave_a = 1;
  std::uint64_t leave_b = 1;
  std::uint64_t leave_n = 1;
};

// Computes the keys of one document after another. It holds buffers of about a megabyte, plus 8 bytes for each of
// the n tokens. Each thread needs its own.
class KeyStream {
 public:
  KeyStream(const text::Tokenizer& tokenizer, unsigned n);
  // The memory that a stream takes, for the budget.
  static std::size_t bytes(unsigned n);

  void start(std::string_view text);
  // Computes the next keys of the document, possibly none: keys[i] belongs to the n-gram whose first token is
  // first() + i. Returns false at the end of the document. The keys are valid until the next call.
  bool next(std::span<const std::uint64_t>& keys);
  std::uint64_t first() const { return first_; }
  // Tokens seen so far in this document.
  std::uint64_t tokens() const { return tokens_; }
  // The tokens that the last call of next() has read.
  const text::TokenBlock& block() const { return block_; }

 private:
  std::size_t roll(std::size_t starts);
  void roll_on(std::size_t starts);

  const text::Tokenizer& tokenizer_;
  const KeyPlan plan_;
  text::TokenBlock block_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::uint64_t tokens_ = 0;
  std::uint64_t first_ = 0;  // first token of the last keys
  std::uint64_t done_ = 0;   // n-grams whose keys were returned
  // The hashes of the tokens from done_ - 1 on (at the beginning: from 0 on): the token that leaves the window
  // first, then the window.
  std::vector<std::uint64_t> hashes_;
  std::size_t held_ = 0;
  std::vector<std::uint64_t> keys_;
  std::uint64_t of_a_ = 0;
  std::uint64_t of_b_ = 0;
  std::uint64_t of_n_ = 0;
};

// Computes the keys of many n-grams at once (gram_key.h), on machines with SIMD multiplication of 64-bit integers.
//
// Rolling a polynomial is one long dependency chain: every token waits for the one before. But H of a window is H
// of its first part, times a power of B, plus H of the rest. So H of all windows of 2, 4, 8, ... tokens follows
// from H of windows half as long, in parallel, and H of windows of any length from a few of those.

// window_keys() may read and write up to this many numbers past the end of its arrays.
inline constexpr std::size_t kWindowPadding = 16;

// Sets keys[i], for each i below `count`, to the key of the n-gram whose token hashes begin at hashes[i]. Returns
// false, without doing anything, if the machine lacks the SIMD instructions or n is too large for this to be
// faster.
bool window_keys(const std::uint64_t* hashes, std::size_t count, const GramShape& shape, std::uint64_t* keys);

}  // namespace refrain::ngram
