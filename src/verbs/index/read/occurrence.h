// The last word on a place: the passage and what stands there are compared token by token, by their normal forms, and
// become what is shown.
//
// The passage may stand in a document of the index or in a text that was asked about: all that is needed of either is a
// piece of text, where it begins, and the number of its first token (Snapshot::Piece has these fields).
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

// How two runs of tokens of such an index are aligned.
blot::AlignRules align_rules(const IndexLayout& layout, const PassageLimits& limits);

// A part of a document's text that begins where a token begins, or where the text does.
struct TextPiece {
  std::string_view text;
  std::uint64_t begin = 0;        // of `text`, in the document
  std::uint64_t first_token = 0;  // the number of the first token in `text`
};

// Tokens, by their numbers in their document.
struct TokenRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // not one of them
  std::uint64_t size() const { return last - first; }
  friend bool operator==(const TokenRange&, const TokenRange&) = default;
};

// Some tokens of a piece of text, with what they look like. Keeps its buffers.
class PlaceTokens {
 public:
  // Those of `tokens` that are in the piece.
  void read(text::TokenHasher& hasher, const TextPiece& piece, const TokenRange& tokens);

  std::size_t size() const { return hashes_.size(); }
  std::uint64_t first() const { return first_; }
  std::uint64_t hash(std::size_t i) const { return hashes_[i]; }
  std::string_view normal(std::size_t i) const {
    return std::string_view(normals_).substr(normal_begins_[i], normal_begins_[i + 1] - normal_begins_[i]);
  }
  // In the document.
  ByteRange bytes(std::size_t i) const { return bytes_[i]; }
  // Of the tokens from `i` to `j`, both included.
  std::string_view text(std::size_t i, std::size_t j) const {
    return std::string_view(text_).substr(bytes_[i].begin - begin_, bytes_[j].end - bytes_[i].begin);
  }
  bool same(std::size_t i, const PlaceTokens& other, std::size_t j) const {
    return hashes_[i] == other.hashes_[j] && normal(i) == other.normal(j);
  }

 private:
  std::uint64_t first_ = 0;
  std::uint64_t begin_ = 0;  // of text_, in the document
  std::string text_;         // from the first token to the last
  std::vector<std::uint64_t> hashes_;
  std::vector<ByteRange> bytes_;
  std::string normals_;
  std::vector<std::size_t> normal_begins_;
};

// The distinct tokens of a passage, numbered. Keeps its buffers.
class PassageWords {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Keeps a pointer to `passage`.
  void set(const PlaceTokens& passage);
  std::size_t size() const { return begins_.size() - 1; }
  // By token of the passage.
  std::span<const std::uint32_t> numbers() const { return numbers_; }
  // The number of a token of another text; kNone where it is not in the passage.
  std::uint32_t number(const PlaceTokens& tokens, std::size_t i) const;
  // The tokens of `part` of the passage that are this word, rising.
  std::span<const std::uint32_t> tokens(std::uint32_t word, const TokenRange& part) const;

 private:
  std::size_t slot_of(const PlaceTokens& tokens, std::size_t i) const;

  const PlaceTokens* passage_ = nullptr;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> slots_;  // by a hash: a token that is the word, or kNone
  unsigned shift_ = 0;
  std::vector<std::uint32_t> begins_ = {0};  // by word: where its tokens are in tokens_
  std::vector<std::uint32_t> tokens_;
};

// A place that was compared.
struct ComparedPlace {
  std::uint64_t matches = 0;  // tokens that agree; 0: there is nothing to show
  TokenRange passage;         // from the first token that agrees to the last, in the passage
  TokenRange place;           // and here
  Occurrence occurrence;      // without an id
};

// One passage after another, and many places of each: a passage is tokenized once. Not thread-safe.
class PlaceComparer {
 public:
  PlaceComparer(const IndexLayout& layout, const PassageLimits& limits);
  PlaceComparer(const PlaceComparer&) = delete;
  PlaceComparer& operator=(const PlaceComparer&) = delete;

  // `tokens` of the piece's document are the passage from here on.
  void set_passage(const TextPiece& piece, const TokenRange& tokens);
  // As an occurrence of itself.
  ComparedPlace source() const;
  // `tokens` of the piece's document, against all of the passage or against `part` of it. Either way the similarity is
  // with the whole passage.
  ComparedPlace compare(const TextPiece& piece, const TokenRange& tokens);
  ComparedPlace compare(const TextPiece& piece, const TokenRange& tokens, const TokenRange& part);
  // The same, but the order of the tokens may differ. What moved is shown, and a match for heavy edits or where blots ignore
  // the order.
  ComparedPlace compare_loosely(const TextPiece& piece, const TokenRange& tokens, const TokenRange& part);

  // Of the place that was compared last: Occurrence::score. `rarity`, by token of the passage's document, in parts of
  // `whole`.
  double score(const ComparedPlace& place, std::span<const std::uint16_t> rarity, std::uint32_t whole);

  // Bytes that a passage, or a place, of so many tokens, in so many bytes of text, takes here, about. More where a place is
  // compared loosely.
  static std::uint64_t passage_bytes(std::uint64_t tokens, std::uint64_t bytes) { return 62 * tokens + 3 * bytes; }
  static std::uint64_t place_bytes(std::uint64_t tokens, std::uint64_t bytes, bool loosely) {
    return (loosely ? 115 : 52) * tokens + 3 * bytes;
  }

 private:
  // Tokens of the passage and of the place that are the same; both [first, last), from 0, by the place.
  struct Pair {
    Pair(std::size_t in_passage, std::size_t in_place, bool is_moved = false)
        : passage(static_cast<std::uint32_t>(in_passage)),
          place(static_cast<std::uint32_t>(in_place)),
          moved(is_moved) {}
    std::uint32_t passage;
    std::uint32_t place;
    bool moved;
  };
  // Tokens that are the same, and could be a pair.
  struct Choice {
    std::uint32_t passage;
    std::uint32_t place;
    std::uint32_t before;  // the choice before it in the longest row that it ends
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
  std::vector<std::uint32_t> place_words_;  // by token of the place
  bool moved_counts_;
  std::vector<Pair> pairs_;            // of the last comparison
  std::vector<Choice> choices_;        // by the place, then by falling passage
  std::vector<std::uint32_t> counts_;  // by word
};

}  // namespace refrain::verbs::index
