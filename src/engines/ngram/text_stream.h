// The texts of a document's n-grams: normal forms joined by one space.
//
// The tokens of a stretch are laid side by side, with a space after each, so the text of every n-gram among them is one
// range of bytes and costs nothing until somebody looks at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "text/tokenizer.h"

namespace refrain::ngram {

// The texts of one document after another; one a thread. Reserves what it holds from the budget.
class TextStream {
 public:
  TextStream(const text::Tokenizer& tokenizer, unsigned n, MemoryBudget& budget);

  void start(std::string_view text);
  // Goes on to the next n-grams of the document, possibly none: those whose first tokens are [first(), last()). False
  // once the document is at its end.
  bool next();
  std::uint64_t first() const { return first_; }
  std::uint64_t last() const { return last_; }
  unsigned n() const { return n_; }
  std::uint64_t tokens() const { return tokens_; }

  // Of the n-gram whose first token is `token`, one of those at hand. Valid until the next call of next().
  std::string_view text(std::uint64_t token) const {
    const std::size_t i = static_cast<std::size_t>(token - first_);
    return {joined_.data() + begins_[i], begins_[i + n_] - 1 - begins_[i]};
  }
  // Of the tokens [token, end), without the space after the last; both at hand, `end` at most n - 1 past last().
  std::string_view text(std::uint64_t token, std::uint64_t end) const {
    const std::size_t begin = begins_[static_cast<std::size_t>(token - first_)];
    return {joined_.data() + begin, begins_[static_cast<std::size_t>(end - first_)] - 1 - begin};
  }
  // Its key.
  std::uint64_t key(std::uint64_t token) const;

 private:
  const text::Tokenizer& tokenizer_;
  const unsigned n_;
  text::TokenBlock block_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::uint64_t tokens_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  // The tokens from first_ on: token first_ + i is joined_[begins_[i], begins_[i + 1] - 1).
  std::size_t held_ = 0;
  Array<char> joined_;
  Array<std::size_t> begins_;
  // The hashes of those tokens, so far as anybody asked; 0 where not.
  mutable Array<std::uint64_t> hashes_;
  Reservation block_bytes_;
};

}  // namespace refrain::ngram
