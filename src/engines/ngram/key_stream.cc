#include "engines/ngram/key_stream.h"

#include <algorithm>

#include "text/token_hash.h"

namespace refrain::ngram {

namespace {
constexpr std::size_t kMaxHashes = text::TokenBlock::kMaxEdges / 2;
}

KeyPlan::KeyPlan(unsigned n) : shape(n) {
  for (unsigned i = 0; i < shape.a; ++i) leave_a *= kGramBase;
  for (unsigned i = 0; i < shape.b; ++i) leave_b *= kGramBase;
  for (unsigned i = 0; i < shape.n; ++i) leave_n *= kGramBase;
}

KeyStream::KeyStream(const text::Tokenizer& tokenizer, unsigned n)
    : tokenizer_(tokenizer), plan_(n), hashes_(n + kMaxHashes + kWindowPadding), keys_(kMaxHashes + kWindowPadding) {}

std::size_t KeyStream::bytes(unsigned n) {
  return (n + 2 * (kMaxHashes + kWindowPadding)) * sizeof(std::uint64_t) +
         2 * text::TokenBlock::kMaxEdges * sizeof(std::uint32_t) + text::TokenBlock::kMaxNormalBytes;
}

void KeyStream::start(std::string_view text) {
  text_ = text;
  position_ = 0;
  tokens_ = first_ = done_ = 0;
  held_ = 0;
}

bool KeyStream::next(std::span<const std::uint64_t>& keys) {
  if (position_ >= text_.size()) return false;
  position_ = tokenizer_.next(text_, position_, block_);
  text::hash_tokens(HashKind::xxh3, block_, 0, hashes_.data() + held_);
  held_ += block_.size();
  tokens_ += block_.size();
  first_ = done_;
  const std::uint64_t n = plan_.shape.n;
  const std::size_t starts = tokens_ < n ? 0 : static_cast<std::size_t>(tokens_ - n + 1 - done_);
  keys = {keys_.data(), roll(starts)};
  return true;
}

std::size_t KeyStream::roll(std::size_t starts) {
  if (starts == 0) return 0;
  // After the first n-gram, hashes_[0] belongs to the token before the next n-gram.
  const std::size_t passed = done_ == 0 ? 0 : 1;
  if (!window_keys(hashes_.data() + passed, starts, plan_.shape, keys_.data())) roll_on(starts);
  done_ += starts;
  const auto gone = static_cast<std::ptrdiff_t>(starts - 1 + passed);
  std::copy(hashes_.begin() + gone, hashes_.begin() + static_cast<std::ptrdiff_t>(held_), hashes_.begin());
  held_ -= static_cast<std::size_t>(gone);
  return starts;
}

// Does the same as window_keys(), one token at a time.
void KeyStream::roll_on(std::size_t starts) {
  const auto [n, a, b] = plan_.shape;
  const std::span<const std::uint64_t> held(hashes_.data(), held_);
  std::size_t made = 0;
  if (done_ == 0) {
    of_a_ = gram_polynomial(held.first(a));
    of_b_ = gram_polynomial(held.first(b));
    of_n_ = gram_polynomial(held.first(n));
    keys_[made++] = gram_key(of_a_, of_b_, of_n_);
  }
  const std::uint64_t* leaves = hashes_.data();
  std::uint64_t of_a = of_a_;
  std::uint64_t of_b = of_b_;
  std::uint64_t of_n = of_n_;
  for (; made < starts; ++made, ++leaves) {
    of_a = of_a * kGramBase + (leaves[a] - leaves[0] * plan_.leave_a);
    of_b = of_b * kGramBase + (leaves[b] - leaves[0] * plan_.leave_b);
    of_n = of_n * kGramBase + (leaves[n] - leaves[0] * plan_.leave_n);
    keys_[made] = gram_key(of_a, of_b, of_n);
  }
  of_a_ = of_a;
  of_b_ = of_b;
  of_n_ = of_n;
}

}  // namespace refrain::ngram
