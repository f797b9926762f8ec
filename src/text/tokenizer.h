// Tokenizers turn a document into tokens, each with its byte range in the original text and its normal form: the form
// that is hashed, for example case-folded.
//
// A document of any length is tokenized a stretch at a time, so a tokenizer needs no memory that grows with its
// input. Tokens do not depend on where stretches begin. A token longer than kMaxTokenBytes is cut into pieces of that
// size.
//
// For every tokenizer that decodes characters, each byte of invalid UTF-8 is a separator.
//
// A new tokenizer is one class in one file, and a row in make_tokenizer().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "refrain/fingerprint.h"
#include "refrain/text.h"

namespace refrain::text {

inline constexpr std::size_t kMaxTokenBytes = std::size_t{16} << 10;

// The tokens of one stretch. Reuse one block for many documents: it keeps its buffers (about half a megabyte).
class TokenBlock {
 public:
  std::size_t size() const { return edge_count_ / 2; }

  // The bytes of token i in the document.
  ByteRange range(std::size_t i) const { return {base_ + edges_[2 * i], base_ + edges_[2 * i + 1]}; }

  // The normal form of token i. kPadding bytes before and after it may be read.
  std::string_view normal(std::size_t i) const {
    const std::uint32_t* at = flat_edges();
    return {normal_base() + at[2 * i], at[2 * i + 1] - at[2 * i]};
  }
  static constexpr std::size_t kPadding = 64;

  // The same as flat arrays: normal form i is normal_base()[flat_edges()[2 i] .. flat_edges()[2 i + 1]).
  const std::uint32_t* flat_edges() const { return same_edges_ ? edges_.get() : normal_edges_.get(); }
  const char* normal_base() const { return normal_.get() + kPadding; }

  // The rest is for tokenizers. Token i is [edges()[2 i], edges()[2 i + 1]), relative to `base`. If all normal forms
  // have the same lengths and positions as their tokens, their edges are the same too and need not be written;
  // otherwise call keep_normal_edges().
  void start(std::size_t base) {
    // Not cleared: most texts use little of it.
    if (edges_ == nullptr) {
      edges_ = std::make_unique_for_overwrite<std::uint32_t[]>(kMaxEdges);
      normal_edges_ = std::make_unique_for_overwrite<std::uint32_t[]>(kMaxEdges);
      normal_ = std::make_unique_for_overwrite<char[]>(kMaxNormalBytes + 2 * kPadding);
      std::fill_n(normal_.get(), kPadding, '\0');
    }
    base_ = base;
    edge_count_ = 0;
    same_edges_ = true;
  }
  void keep_normal_edges() { same_edges_ = false; }
  std::uint32_t* edges() { return edges_.get(); }
  std::size_t edge_count() const { return edge_count_; }
  void set_edge_count(std::size_t count) { edge_count_ = count; }
  // Appends one edge to both lists.
  void push_edge(std::size_t at, std::size_t normal_at) {
    edges_[edge_count_] = static_cast<std::uint32_t>(at);
    normal_edges_[edge_count_++] = static_cast<std::uint32_t>(normal_at);
  }
  // Counts `more` edges that were written after the last one, and writes the corresponding normal edges, which are
  // `shift` further on.
  void mirror_edges(std::size_t more, std::uint32_t shift) {
    for (std::size_t i = edge_count_; i < edge_count_ + more; ++i) normal_edges_[i] = edges_[i] + shift;
    edge_count_ += more;
  }
  char* normal_buffer() { return normal_.get() + kPadding; }

  // There are at most two edges per byte, and eight more may be written without being counted.
  static constexpr std::size_t kMaxEdges = 2 * kMaxTokenBytes + 16;
  // Room for a copy of the stretch, followed by a stretch in which all characters, of two bytes or more, grow when
  // folded.
  static constexpr std::size_t kMaxFoldBytes = 16;
  static constexpr std::size_t kMaxNormalBytes = kMaxTokenBytes + kMaxTokenBytes / 2 * kMaxFoldBytes + 128;

 private:
  std::size_t base_ = 0;
  std::size_t edge_count_ = 0;
  bool same_edges_ = true;
  std::unique_ptr<std::uint32_t[]> edges_;
  std::unique_ptr<std::uint32_t[]> normal_edges_;
  std::unique_ptr<char[]> normal_;
};

// Immutable; threads may share one.
class Tokenizer {
 public:
  Tokenizer() = default;
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;
  virtual ~Tokenizer() = default;

  // Puts the tokens of the stretch that begins at `position` into `block`, possibly none. `position` is 0 or a value
  // that an earlier call returned, and below text.size(). Returns where the next stretch begins: text.size() after
  // the last one.
  virtual std::size_t next(std::string_view text, std::size_t position, TokenBlock& block) const = 0;
};

std::unique_ptr<const Tokenizer> make_tokenizer(TokenizerKind kind);

// Whether a token is always one character or byte, which carries little information by itself.
constexpr bool tokens_are_characters(TokenizerKind kind) {
  return kind == TokenizerKind::chars || kind == TokenizerKind::bytes || kind == TokenizerKind::dna;
}

// The functions behind make_tokenizer(), one per kind.
std::unique_ptr<const Tokenizer> make_words_tokenizer(bool normalize);
std::unique_ptr<const Tokenizer> make_whitespace_tokenizer(bool lower);
std::unique_ptr<const Tokenizer> make_alpha_tokenizer();
std::unique_ptr<const Tokenizer> make_code_tokenizer(bool kinds, bool comments);
std::unique_ptr<const Tokenizer> make_chars_tokenizer();
std::unique_ptr<const Tokenizer> make_bytes_tokenizer();
std::unique_ptr<const Tokenizer> make_dna_tokenizer();

}  // namespace refrain::text
