// Which items of a reference set stand in a document, and where.
//
// An item of n tokens stands there whole where the distance (engines/matching/edit_search.h) of it and some stretch of the document
// is at most k = n * (1 - share). Cut into pieces of w = n / (k + 1) tokens or less, at least (pieces - k) of them are in
// that stretch unchanged: so windows of w tokens propose, and where enough of them meet, the distance decides. An item
// stands there in part where `passage` tokens in a row are the same: every run of that length holds one of the windows of
// about half its length that are noted at every so many tokens of the item; the tokens decide.
//
// So nothing is missed, but for this: a window that very many items hold proposes the first kMostItems of them only (and
// one that comes again and again in one item only some of its places). That keeps the work a document linear, whatever the
// set; items that it concerns are counted. Items of more than kMostWhole tokens are looked for by their passages alone.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "engines/matching/edit_search.h"
#include "refrain/text.h"
#include "text/token_hasher.h"
#include "verbs/dedup/against/reference_set.h"

namespace refrain::verbs::dedup {

struct ReferenceRules {
  std::uint64_t min_tokens = 8;  // of an item that is looked for at all
  double share = 0.8;            // of an item that must agree, from kLeastShare to 1
  std::uint64_t passage = 50;    // tokens in a row
};

inline constexpr std::uint32_t kMostItems = 64;
inline constexpr std::uint64_t kMostWhole = 4096;
inline constexpr double kLeastShare = 0.6;  // below, pieces would be single tokens

// Tokens of an item of `tokens` that may differ.
std::uint64_t most_edits(std::uint64_t tokens, double share);

// The windows of all items. Immutable; threads may share one.
class ReferenceWindows {
 public:
  ReferenceWindows(const ReferenceSet& set, const ReferenceRules& rules, MemoryBudget& budget);

  // An item that holds a window.
  struct Holder {
    std::uint64_t key = 0;
    std::uint32_t passage = 0;  // 1: a window of the passages; 0: a piece of the whole
    std::uint32_t item = 0;
    std::uint32_t offset = 0;  // of the window in it
    std::uint32_t copies = 1;  // of the piece in its item, this being the first; for passages, up to this one
    friend auto operator<=>(const Holder&, const Holder&) = default;
  };
  // The items that hold the window with this key.
  std::span<const Holder> find(std::uint64_t key) const;

  // A length that windows have, and what a token that leaves such a window counts for.
  struct Length {
    std::uint32_t tokens = 0;
    std::uint64_t leaving = 0;
  };
  std::span<const Length> lengths() const { return lengths_; }
  static std::uint64_t roll(std::uint64_t sum, std::uint32_t token);
  static std::uint64_t key(std::uint64_t sum, std::uint32_t length);

  const ReferenceSet& set() const { return set_; }
  const ReferenceRules& rules() const { return rules_; }
  // Of the windows of an item, how many must be met before it is looked at.
  std::uint32_t least_hits(std::uint32_t item) const { return least_hits_[item]; }
  // Tokens that a stretch of a document must share with the next, so that nothing is lost between them.
  std::uint64_t overlap() const { return overlap_; }
  // Items that are too common to be found wherever they are.
  std::uint64_t partly() const { return partly_; }

 private:
  void note_item(std::uint32_t item);
  void note(std::uint32_t item, std::uint64_t offset, std::uint32_t length, bool passage);
  void note_length(std::uint32_t length);
  void settle();
  void build_slots();

  const ReferenceSet& set_;
  ReferenceRules rules_;
  std::vector<Length> lengths_;
  Array<Holder> holders_;  // by key, each once an item and window
  Array<std::uint64_t> slots_;
  Array<std::uint32_t> least_hits_;
  Array<std::uint8_t> dropped_;  // 1: a window of its passages is not noted
  std::uint64_t overlap_ = 0;
  std::uint64_t partly_ = 0;
};

// An item in a document.
struct ReferenceFound {
  std::uint32_t item = 0;
  double share = 0;  // of its tokens
  ByteRange where;   // in the document
  friend bool operator==(const ReferenceFound&, const ReferenceFound&) = default;
};

// Keeps its buffers; one a thread.
class ReferenceSearch {
 public:
  ReferenceSearch(const ReferenceWindows& windows, TokenizerKind tokenizer, MemoryBudget& budget);

  // Calls found() for every different item that stands in the text, in their order, with the best place of each: whole
  // with the least distance, the first of several; else the longest passage.
  void search(std::string_view text, const std::function<void(const ReferenceFound&)>& found);

 private:
  struct Hit {
    std::uint32_t item;
    std::uint32_t passage;
    std::uint32_t at;      // in tokens_
    std::uint32_t offset;  // in the item; kAnywhere for a piece that it holds more than once
    friend auto operator<=>(const Hit&, const Hit&) = default;
  };
  // In tokens of the document; `bytes` are the same.
  struct Place {
    std::uint32_t item = 0;
    bool whole = false;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t distance = 0;  // whole
    std::uint64_t offset = 0;    // passage: where it begins in the item
    ByteRange bytes;
  };

  void search_segment();
  void propose();
  void look_for_whole(std::uint32_t item, std::span<const Hit> hits);
  void look_for_passages(std::uint32_t item, std::span<const Hit> hits);
  // Tokens [begin, end) of the segment.
  void keep(Place place, std::size_t begin, std::size_t end);
  void join_passages();
  static constexpr std::uint32_t kAnywhere = ~std::uint32_t{0};

  const ReferenceWindows& windows_;
  text::TokenHasher hasher_;
  matching::EditSearch edits_;
  std::uint64_t segment_;  // tokens
  // Of the document at hand: some tokens, from first_ on.
  Array<std::uint32_t> tokens_;
  Array<ByteRange> ranges_;
  std::uint64_t first_ = 0;
  Array<Hit> hits_;
  std::vector<std::uint64_t> sums_;
  std::vector<Place> places_;
};

}  // namespace refrain::verbs::dedup
