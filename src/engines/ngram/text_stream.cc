#include "engines/ngram/text_stream.h"

#include <algorithm>
#include <cstring>

#include "engines/ngram/index/gram_key.h"
#include "text/token_hash.h"

namespace refrain::ngram {

namespace {
// Short tokens are copied in one wide step, which may write beyond their end.
constexpr std::size_t kStep = 16;
}  // namespace

TextStream::TextStream(const text::Tokenizer& tokenizer, unsigned n, MemoryBudget& budget)
    : tokenizer_(tokenizer),
      n_(n),
      joined_(budget, "the texts at hand"),
      begins_(budget, "the texts at hand"),
      hashes_(budget, "the texts at hand"),
      block_bytes_(
          budget.reserve(2 * text::TokenBlock::kMaxEdges * sizeof(std::uint32_t) + text::TokenBlock::kMaxNormalBytes,
                         "the texts at hand")) {
  // Allocates what most stretches need, so that little is allocated later.
  constexpr std::size_t kStretchTokens = text::TokenBlock::kMaxEdges / 2;
  joined_.resize(2 * text::kMaxTokenBytes + kStretchTokens + 16 * std::size_t{n});
  begins_.resize(kStretchTokens + n + 1);
  hashes_.resize(kStretchTokens + n + 1);
}

void TextStream::start(std::string_view text) {
  text_ = text;
  position_ = 0;
  tokens_ = first_ = last_ = 0;
  held_ = 0;
}

bool TextStream::next() {
  if (position_ >= text_.size()) return false;
  // Drop the first tokens of the n-grams that were returned. The n - 1 tokens that follow them are still needed.
  const auto gone = static_cast<std::size_t>(last_ - first_);
  if (gone != 0) {
    const std::size_t cut = begins_[gone];
    std::memmove(joined_.data(), joined_.data() + cut, begins_[held_] - cut);
    for (std::size_t i = gone; i <= held_; ++i) begins_[i - gone] = begins_[i] - cut;
    std::copy(hashes_.data() + gone, hashes_.data() + held_, hashes_.data());
    held_ -= gone;
  }
  first_ = last_;
  position_ = tokenizer_.next(text_, position_, block_);
  const std::size_t count = block_.size();
  const std::uint32_t* edges = block_.flat_edges();
  const char* base = block_.normal_base();
  const std::size_t more = count == 0 ? 0 : edges[2 * count - 1] - edges[0] + count;
  const std::size_t end = begins_[held_];
  if (joined_.size() < end + more + kStep) joined_.resize((end + more + kStep) * 5 / 4);
  if (begins_.size() < held_ + count + 1) {
    begins_.resize((held_ + count + 1) * 5 / 4);
    hashes_.resize(begins_.size());
  }
  std::fill_n(hashes_.data() + held_, count, 0);
  char* out = joined_.data() + end;
  std::size_t* begins = begins_.data() + held_;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = edges[2 * i + 1] - edges[2 * i];
    const char* token = base + edges[2 * i];
    if (size <= kStep)
      std::memcpy(out, token, kStep);
    else
      std::memcpy(out, token, size);
    out += size;
    *out++ = ' ';
    *++begins = static_cast<std::size_t>(out - joined_.data());
  }
  held_ += count;
  tokens_ += count;
  if (tokens_ >= n_) last_ = tokens_ - n_ + 1;
  return true;
}

std::uint64_t TextStream::key(std::uint64_t token) const {
  const std::size_t* begins = begins_.data() + (token - first_);
  std::uint64_t* hashes = hashes_.data() + (token - first_);
  for (unsigned i = 0; i < n_; ++i)
    if (hashes[i] == 0)
      hashes[i] = text::hash_token(HashKind::xxh3, {joined_.data() + begins[i], begins[i + 1] - 1 - begins[i]}, 0);
  return gram_key(std::span<const std::uint64_t>(hashes, n_));
}

}  // namespace refrain::ngram
