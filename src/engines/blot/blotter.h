// From a document to its blots: which windows of its tokens are chosen, and what their blots are.
//
// With BlotSampling::syncmer a window of k = window / 2 + 1 tokens is chosen where its first or its last token has the
// least order value of all of its tokens (a closed syncmer with parts of one token). That is about two windows in k,
// and every run of 2 k - 2 tokens, so every run of `window` tokens, holds a chosen one: the token with the least value
// of such a run has k - 1 tokens before it or behind it. With BlotSampling::all every window is chosen: those of the sample
// and all others. Interleaved windows have k = window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engines/blot/function.h"
#include "refrain/index.h"
#include "text/tokenizer.h"

namespace refrain::blot {

// What 0 stands for in IndexLayout::blot_tokens.
unsigned usual_blot_tokens(const IndexLayout& layout);
BlotShape blot_shape(const IndexLayout& layout);

// Throws Error(invalid_argument) where the parts of a layout do not go together, and fills in what follows from the
// others: interleaving takes every window.
IndexLayout checked_layout(IndexLayout layout);

// A chosen window: the number of its first token, and its blot, all 64 bits of it.
struct ChosenWindow {
  std::uint64_t first = 0;
  std::uint64_t blot = 0;
  friend bool operator==(const ChosenWindow&, const ChosenWindow&) = default;
};

// What of a blot is stored.
constexpr std::uint64_t blot_mask(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

// Where an index has pairs too, the keys of its posts are one bit wider: blots of windows come first, then those of pairs.
constexpr unsigned key_bits(const IndexLayout& layout) {
  return layout.blot_bits + (layout.pairs ? 1U : 0U);
}
constexpr std::uint64_t pair_key(const IndexLayout& layout, std::uint64_t blot) {
  return (blot & blot_mask(layout.blot_bits)) | std::uint64_t{1} << layout.blot_bits;
}

// Appends the chosen pairs of neighbours in `hashes`; the first token has the number `number`. A pair is chosen by what it
// is: one in four.
void choose_pairs(std::span<const std::uint64_t> hashes, std::uint64_t number, std::vector<ChosenWindow>& out);

// Chooses among windows of tokens that are at hand. Keeps its buffers; not thread-safe.
class Blotter {
 public:
  explicit Blotter(const IndexLayout& layout);

  const BlotShape& shape() const { return shape_; }

  // Appends the chosen windows of `hashes`; the first token has the number `number`.
  void choose(std::span<const std::uint64_t> hashes, std::uint64_t number, std::vector<ChosenWindow>& out);

 private:
  void find_least(std::span<const std::uint64_t> hashes, std::size_t windows);

  BlotShape shape_;
  bool all_;
  std::unique_ptr<const BlotFunction> function_;
  std::vector<std::uint64_t> blots_;
  std::vector<std::uint64_t> order_;
  std::vector<std::uint64_t> least_;
};

// Every kMarkTokens tokens of a document there is a mark: where in the text the token begins, and a checksum of the text
// from there to the next mark. By these a part of a document can be found, read and trusted. The first mark is at 0.
struct TextMark {
  std::uint64_t begin = 0;
  std::uint32_t checksum = 0;
  std::uint64_t raw = 0;  // where that is in the raw text, where somebody has found it out
  friend bool operator==(const TextMark&, const TextMark&) = default;
};
std::uint32_t mark_checksum(std::string_view text);

// The chosen windows and the marks of one document after another. Holds about a megabyte of buffers; one a thread.
class BlotStream {
 public:
  BlotStream(const IndexLayout& layout, const text::Tokenizer& tokenizer);

  void start(std::string_view text);
  // The next chosen windows, possibly none; false once the document is at its end. Valid until the next call.
  bool next(std::span<const ChosenWindow>& chosen);
  // The chosen pairs that go with them; none where the layout has no pairs.
  std::span<const ChosenWindow> pairs() const { return pairs_; }

  // Once the document is at its end.
  std::uint64_t tokens() const { return tokens_; }
  std::span<const TextMark> marks() const { return marks_; }

 private:
  void mark_tokens();

  const text::Tokenizer& tokenizer_;
  Blotter blotter_;
  text::TokenBlock block_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::uint64_t tokens_ = 0;
  std::size_t carried_ = 0;            // tokens of the stretch before that windows may still begin in
  std::vector<std::uint64_t> hashes_;  // those, and the block's
  std::vector<ChosenWindow> chosen_;
  std::vector<ChosenWindow> pairs_;
  bool has_pairs_;
  std::vector<TextMark> marks_;
};

}  // namespace refrain::blot
