// The final comparison of a passage and a place: both are compared token by token, by their normal forms, and the
// result is what users see.
//
// The passage may lie in a document of the index or in the text of a query. Either is represented by a piece of
// text, the offset where the piece begins, and the number of its first token (Snapshot::Piece has these fields).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/blot/align.h"
#include "refrain/index.h"
#include "text/token_hasher.h"

namespace refrain::verbs::index {

// The rules by which two runs of tokens of such an index are aligned.
blot::AlignRules align_rules(const IndexLayout& layout, const PassageLimits& limits);

// A part of a document's text that begins at a token or at the beginning of the text.
struct TextPiece {
  std::string_view text;
  std::uint64_t begin = 0;        // offset of `text` in the document
  std::uint64_t first_token = 0;  // the number of the first token in `text`
};

// A range of tokens, by their numbers in the document.
struct TokenRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // exclusive
  std::uint64_t size() const { return last - first; }
  friend bool operator==(const TokenRange&, const TokenRange&) = default;
};

// Some tokens of a piece of text, with their normal forms and byte ranges. Reuses its buffers.
class PlaceTokens {
 public:
  // Reads those of `tokens` that are in the piece.
  void read(text::TokenHasher& hasher, const TextPiece& piece, const TokenRange& tokens);

  std::size_t size() const { return hashes_.size(); }
  std::uint64_t first() const { return first_; }
  std::uint64_t hash(std::size_t i) const { return hashes_[i]; }
  std::string_view normal(std::size_t i) const {
    return std::string_view(normals_).substr(normal_begins_[i], normal_begins_[i + 1] - normal_begins_[i]);
  }
  // The byte range of token `i` in the document.
  ByteRange bytes(std::size_t i) const { return bytes_[i]; }
  // The text of the tokens from `i` to `j`, inclusive.
  std::string_view text(std::size_t i, std::size_t j) const {
    return std::string_view(text_).substr(bytes_[i].begin - begin_, bytes_[j].end - bytes_[i].begin);
  }
  bool same(std::size_t i, const PlaceTokens& other, std::size_t j) const {
    return hashes_[i] == other.hashes_[j] && normal(i) == other.normal(j);
  }

 private:
  std::uint64_t first_ = 0;
  std::uint64_t begin_ = 0;  // offset of text_ in the document
  std::string text_;         // from the first token to the last
  std::vector<std::uint64_t> hashes_;
  std::vector<ByteRange> bytes_;
  std::string normals_;
  std::vector<std::size_t> normal_begins_;
};

// The distinct tokens (words) of a passage, numbered. Reuses its buffers.
class PassageWords {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Keeps a pointer to `passage`.
  void set(const PlaceTokens& passage);
  std::size_t size() const { return begins_.size() - 1; }
  // The word of each token of the passage.
  std::span<const std::uint32_t> numbers() const { return numbers_; }
  // The number of a token of another text, or kNone if the passage does not contain it.
  std::uint32_t number(const PlaceTokens& tokens, std::size_t i) const;
  // The tokens of `part` of the passage that are this word, ascending.
  std::span<const std::uint32_t> tokens(std::uint32_t word, const TokenRange& part) const;

 private:
  std::size_t slot_of(const PlaceTokens& tokens, std::size_t i) const;

  const PlaceTokens* passage_ = nullptr;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> slots_;  // by hash: the first token that is the word, or kNone
  unsigned shift_ = 0;
  std::vector<std::uint32_t> begins_ = {0};  // by word: where its tokens begin in tokens_
  std::vector<std::uint32_t> tokens_;
};

// The result of comparing a passage with a place.
struct ComparedPlace {
  std::uint64_t matches = 0;  // tokens that agree; 0: there is nothing to show
  TokenRange passage;         // from the first token that agrees to the last, in the passage
  TokenRange place;           // the same range, in the place
  Occurrence occurrence;      // without an id
};

// Compares passages with their places. A passage is tokenized once for all of its places. Not thread-safe.
class PlaceComparer {
 public:
  PlaceComparer(const IndexLayout& layout, const PassageLimits& limits);
  PlaceComparer(const PlaceComparer&) = delete;
  PlaceComparer& operator=(const PlaceComparer&) = delete;

  // Sets the passage: `tokens` of the piece's document.
  void set_passage(const TextPiece& piece, const TokenRange& tokens);
  // The passage as an occurrence of itself.
  ComparedPlace source() const;
  // Compares `tokens` of the piece's document with the whole passage or with `part` of it. In both cases the
  // similarity is relative to the whole passage.
  ComparedPlace compare(const TextPiece& piece, const TokenRange& tokens);
  ComparedPlace compare(const TextPiece& piece, const TokenRange& tokens, const TokenRange& part);
  // The same, but the order of the tokens may differ. Tokens that moved are reported, and count as matches for heavy
  // edits or if the blots ignore the order.
  ComparedPlace compare_loosely(const TextPiece& piece, const TokenRange& tokens, const TokenRange& part);

  // Occurrence::score of the place that was compared last. `rarity` holds a value for each token of the passage's
  // document, in units of 1 / `whole`.
  double score(const ComparedPlace& place, std::span<const std::uint16_t> rarity, std::uint32_t whole);

  // About how many bytes a passage, or a place, takes here if it has `tokens` tokens in `bytes` bytes of text. A
  // place takes more if it is compared loosely.
  static std::uint64_t passage_bytes(std::uint64_t tokens, std::uint64_t bytes) { return 62 * tokens + 3 * bytes; }
  static std::uint64_t place_bytes(std::uint64_t tokens, std::uint64_t bytes, bool loosely) {
    return (loosely ? 115 : 52) * tokens + 3 * bytes;
  }

 private:
  // A token of the passage and an equal token of the place, as indexes into passage_ and place_. Ordered by `place`.
  struct Pair {
    Pair(std::size_t in_passage, std::size_t in_place, bool is_moved = false)
        : passage(static_cast<std::uint32_t>(in_passage)),
          place(static_cast<std::uint32_t>(in_place)),
          moved(is_moved) {}
    std::uint32_t passage;
    std::uint32_t place;
    bool moved;
  };
  // Equal tokens that could become a pair.
  struct Choice {
    std::uint32_t passage;
    std::uint32_t place;
    std::uint32_t before;  // previous choice in the longest row that ends with this one
  };
  void read_place(const TextPiece& piece, const TokenRange& tokens);
  TokenRange part_of(const TokenRange& part) const;
  void mark_moved(const TokenRange& part);
  ComparedPlace place_of_pairs(const TokenRange& range, std::uint64_t matches);

  text::TokenHasher hasher_;
  blot::Aligner aligner_;
  PlaceTokens passage_;
  PassageWords words_;
  PlaceTokens place_;
  std::vector<std::uint32_t> place_words_;  // the word of each token of the place
  bool moved_counts_;
  std::vector<Pair> pairs_;            // of the last comparison
  std::vector<Choice> choices_;        // by the place, then by falling passage
  std::vector<std::uint32_t> counts_;  // by word
};

}  // namespace refrain::verbs::index
