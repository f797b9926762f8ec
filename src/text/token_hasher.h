// The tokens of texts with their hashes, as the blot index uses them: XXH3 of the normal form, without a seed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "text/token_hash.h"
#include "text/tokenizer.h"

namespace refrain::text {

// Consecutive tokens of a text.
class TokenStretch {
 public:
  TokenStretch(const TokenBlock& block, const std::uint64_t* hashes, std::size_t begin, std::size_t end)
      : block_(block), hashes_(hashes), begin_(begin), end_(end) {}

  std::size_t size() const { return end_ - begin_; }
  std::span<const std::uint64_t> hashes() const { return {hashes_ + begin_, size()}; }
  // The bytes of token i in the text.
  ByteRange range(std::size_t i) const { return block_.range(begin_ + i); }
  std::string_view normal(std::size_t i) const { return block_.normal(begin_ + i); }

 private:
  const TokenBlock& block_;
  const std::uint64_t* hashes_;
  std::size_t begin_;
  std::size_t end_;
};

// Keeps its buffers. Not thread-safe: use one per thread.
class TokenHasher {
 public:
  explicit TokenHasher(TokenizerKind kind) : tokenizer_(make_tokenizer(kind)) {}

  // Calls visit(stretch) for all tokens in order, a stretch at a time.
  template <class Visit>
  void read(std::string_view text, Visit visit) {
    read(text, 0, 0, std::numeric_limits<std::uint64_t>::max(), visit);
  }
  // The same for the tokens with numbers in [first, last), where the first token of the text has the number `number`.
  template <class Visit>
  void read(std::string_view text, std::uint64_t number, std::uint64_t first, std::uint64_t last, Visit visit) {
    for (std::size_t position = 0; position < text.size() && number < last;) {
      position = tokenizer_->next(text, position, block_);
      hashes_.resize(block_.size());
      hash_tokens(HashKind::xxh3, block_, 0, hashes_.data());
      const auto begin =
          static_cast<std::size_t>(std::min<std::uint64_t>(first - std::min(first, number), block_.size()));
      const auto end = static_cast<std::size_t>(std::min<std::uint64_t>(last - number, block_.size()));
      if (begin < end) visit(TokenStretch(block_, hashes_.data(), begin, end));
      number += block_.size();
    }
  }

 private:
  std::unique_ptr<const Tokenizer> tokenizer_;
  TokenBlock block_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace refrain::text
