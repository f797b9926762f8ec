// Turns a document into its blots: chooses windows of its tokens and computes a blot for each.
//
// With BlotSampling::syncmer, a window of k = window / 2 + 1 tokens is chosen if its first or its last token has the
// least order value of all its tokens (a closed syncmer with parts of one token). About two in k windows are chosen,
// and every run of 2 k - 2 tokens, so every run of `window` tokens, contains a chosen one: the token with the least
// value in such a run has k - 1 tokens before it or behind it. With BlotSampling::all, every window is chosen,
// including those of the sample. Interleaved windows have k = window.
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

// The number of tokens that IndexLayout::blot_tokens == 0 selects.
unsigned default_blot_tokens(const IndexLayout& layout);
BlotShape blot_shape(const IndexLayout& layout);

// Validates a layout and fills in what follows from the other fields: interleaving implies BlotSampling::all, and
// tokenizers whose tokens are characters have no pairs. Throws Error(invalid_argument) if the fields contradict each
// other.
IndexLayout checked_layout(IndexLayout layout);

// A chosen window: the number of its first token, and all 64 bits of its blot.
struct ChosenWindow {
  std::uint64_t first = 0;
  std::uint64_t blot = 0;
  friend bool operator==(const ChosenWindow&, const ChosenWindow&) = default;
};

// Selects the bits of a blot that are stored.
constexpr std::uint64_t blot_mask(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

// If an index has pairs, the keys of its posts are one bit wider: blots of windows come first, then those of pairs.
constexpr unsigned key_bits(const IndexLayout& layout) {
  return layout.blot_bits + (layout.pairs ? 1U : 0U);
}
constexpr std::uint64_t pair_key(const IndexLayout& layout, std::uint64_t blot) {
  return (blot & blot_mask(layout.blot_bits)) | std::uint64_t{1} << layout.blot_bits;
}

// Appends the chosen pairs of neighboring tokens; hashes[0] belongs to token `number`. The choice depends only on
// the pair's own tokens, whatever their order, and takes one pair in four.
void choose_pairs(std::span<const std::uint64_t> hashes, std::uint64_t number, std::vector<ChosenWindow>& out);

// Chooses among the windows of given token hashes. Keeps its buffers between calls; not thread-safe.
class Blotter {
 public:
  explicit Blotter(const IndexLayout& layout);

  const BlotShape& shape() const { return shape_; }

  // Appends the chosen windows of `hashes`; hashes[0] belongs to token `number`.
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

// A document has a mark every kMarkTokens tokens: where in the text that token begins, and a checksum of the text
// from there to the next mark. With marks, a part of a document can be found, read and verified. The first mark is
// at 0.
struct TextMark {
  std::uint64_t begin = 0;
  std::uint32_t checksum = 0;
  std::uint64_t raw = 0;  // the same position in the raw text, if it has been computed
  friend bool operator==(const TextMark&, const TextMark&) = default;
};
std::uint32_t mark_checksum(std::string_view text);

// The chosen windows and the marks of one document after another. Holds about a megabyte of buffers; use one per
// thread.
class BlotStream {
 public:
  BlotStream(const IndexLayout& layout, const text::Tokenizer& tokenizer);

  void start(std::string_view text);
  // Returns the next chosen windows, possibly none; false at the end of the document. Valid until the next call.
  bool next(std::span<const ChosenWindow>& chosen);
  // The chosen pairs from the same part of the document; empty if the layout has no pairs.
  std::span<const ChosenWindow> pairs() const { return pairs_; }

  // Valid once next() has returned false.
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
  std::size_t carried_ = 0;            // tokens of the previous stretch in which windows may still begin
  std::vector<std::uint64_t> hashes_;  // of the carried tokens, then of the block
  std::vector<ChosenWindow> chosen_;
  std::vector<ChosenWindow> pairs_;
  bool has_pairs_;
  std::vector<TextMark> marks_;
};

}  // namespace refrain::blot
