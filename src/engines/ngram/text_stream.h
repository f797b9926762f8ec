// The texts of a document's n-grams: normal forms, joined by single spaces.
//
// The tokens of a stretch are stored consecutively, each followed by a space. So the text of every n-gram in it is
// a range of bytes, and no n-gram's text is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "text/tokenizer.h"

namespace refrain::ngram {

// Makes the texts of one document after another. Each thread needs its own. Its memory is reserved from the budget.
class TextStream {
 public:
  TextStream(const text::Tokenizer& tokenizer, unsigned n, MemoryBudget& budget);

  void start(std::string_view text);
  // Moves on to the next n-grams of the document, possibly none: those whose first tokens are [first(), last()).
  // Returns false at the end of the document.
  bool next();
  std::uint64_t first() const { return first_; }
  std::uint64_t last() const { return last_; }
  unsigned n() const { return n_; }
  std::uint64_t tokens() const { return tokens_; }

  // Returns the text of the n-gram whose first token is `token`, which must be in [first(), last()). Valid until
  // the next call of next().
  std::string_view text(std::uint64_t token) const {
    const std::size_t i = static_cast<std::size_t>(token - first_);
    return {joined_.data() + begins_[i], begins_[i + n_] - 1 - begins_[i]};
  }
  // Returns the text of the tokens [token, end), without the space after the last one. `token` must not be before
  // first(), and `end` at most n - 1 past last().
  std::string_view text(std::uint64_t token, std::uint64_t end) const {
    const std::size_t begin = begins_[static_cast<std::size_t>(token - first_)];
    return {joined_.data() + begin, begins_[static_cast<std::size_t>(end - first_)] - 1 - begin};
  }
  // Returns the key of the n-gram whose first token is `token`.
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
  // The hashes of these tokens, computed on demand; 0 if not yet computed.
  mutable Array<std::uint64_t> hashes_;
  Reservation block_bytes_;
};

}  // namespace refrain::ngram
