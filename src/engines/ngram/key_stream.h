// The keys of a document's n-grams (gram_key.h): many at once (window_keys.h), or rolled on in constant time a token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engines/ngram/index/gram_key.h"
#include "text/tokenizer.h"

namespace refrain::ngram {

// What every stream of one n shares.
struct KeyPlan {
  explicit KeyPlan(unsigned n);
  GramShape shape;
  // B^a, B^b, B^n: what the token that leaves counts for.
  std::uint64_t leave_a = 1;
  std::uint64_t leave_b = 1;
  std::uint64_t leave_n = 1;
};

// The keys of one document after another. Holds about a megabyte of buffers (and 8 bytes a token of n); one a thread.
class KeyStream {
 public:
  KeyStream(const text::Tokenizer& tokenizer, unsigned n);
  // What one takes, for the budget.
  static std::size_t bytes(unsigned n);

  void start(std::string_view text);
  // The next keys of the document, possibly none: keys[i] is that of the n-gram whose first token is first() + i. False
  // once the document is at its end. Valid until the next call.
  bool next(std::span<const std::uint64_t>& keys);
  std::uint64_t first() const { return first_; }
  // Tokens seen so far in this document.
  std::uint64_t tokens() const { return tokens_; }
  // The tokens that next() saw last.
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
  std::uint64_t first_ = 0;  // of the keys given out last
  std::uint64_t done_ = 0;   // n-grams given out
  // The tokens from done_ - 1 on (from 0 in the beginning): what leaves the window first, then the window.
  std::vector<std::uint64_t> hashes_;
  std::size_t held_ = 0;
  std::vector<std::uint64_t> keys_;
  std::uint64_t of_a_ = 0;
  std::uint64_t of_b_ = 0;
  std::uint64_t of_n_ = 0;
};

}  // namespace refrain::ngram
