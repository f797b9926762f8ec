// Finds the items of a reference set that occur in a document, and where.
//
// An item of n tokens occurs as a whole if its edit distance (engines/matching/edit_search.h) to some stretch of
// the document is at most k = n * (1 - share). If the item is cut into pieces of at most w = n / (k + 1) tokens, at
// least (pieces - k) of them are unchanged in that stretch. So windows of w tokens propose candidates, and where
// enough of them meet, the distance decides. An item occurs in part if `passage` consecutive tokens are the same.
// Of each item, windows of about half that length are recorded at regular steps, so every such run contains one of
// them; a comparison of tokens decides.
//
// The search is exact with one exception: a window that very many items hold proposes only its first kMostItems
// holders, and one that recurs in a single item proposes only some of its places. This keeps the work per document
// linear for any set; the affected items are counted. Items of more than kMostWhole tokens are searched for by
// their passages alone.
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
  std::uint64_t min_tokens = 8;  // items with fewer are not searched for
  double share = 0.8;            // share of an item's tokens that must agree, from kLeastShare to 1
  std::uint64_t passage = 50;    // consecutive tokens
};

inline constexpr std::uint32_t kMostItems = 64;
inline constexpr std::uint64_t kMostWhole = 4096;
inline constexpr double kLeastShare = 0.6;  // with a lesser share, pieces would be single tokens

// The number of tokens that may differ in an item of `tokens` tokens.
std::uint64_t most_edits(std::uint64_t tokens, double share);

// The windows of all items. Immutable; threads may share one.
class ReferenceWindows {
 public:
  ReferenceWindows(const ReferenceSet& set, const ReferenceRules& rules, MemoryBudget& budget);

  // An item that contains a window.
  struct Holder {
    std::uint64_t key = 0;
    std::uint32_t passage = 0;  // 1: a window of the passages; 0: a piece of the whole
    std::uint32_t item = 0;
    std::uint32_t offset = 0;  // of the window in the item
    std::uint32_t copies = 1;  // equal pieces in the item, this being the first; for passages, those up to this one
    friend auto operator<=>(const Holder&, const Holder&) = default;
  };
  // The items that contain the window with this key.
  std::span<const Holder> find(std::uint64_t key) const;

  // A length of windows, with the factor of the token that leaves such a window in the rolling sum.
  struct Length {
    std::uint32_t tokens = 0;
    std::uint64_t leaving = 0;
  };
  std::span<const Length> lengths() const { return lengths_; }
  static std::uint64_t roll(std::uint64_t sum, std::uint32_t token);
  static std::uint64_t key(std::uint64_t sum, std::uint32_t length);

  const ReferenceSet& set() const { return set_; }
  const ReferenceRules& rules() const { return rules_; }
  // How many windows of an item must be found before the item is compared.
  std::uint32_t least_hits(std::uint32_t item) const { return least_hits_[item]; }
  // Tokens that consecutive segments of a document share, so that no item is lost between them.
  std::uint64_t overlap() const { return overlap_; }
  // The number of items that are too common to be found in every place.
  std::uint64_t common_items() const { return partly_; }

 private:
  void note_item(std::uint32_t item);
  void note(std::uint32_t item, std::uint64_t offset, std::uint32_t length, bool passage);
  void note_length(std::uint32_t length);
  void settle();
  void build_slots();

  const ReferenceSet& set_;
  ReferenceRules rules_;
  std::vector<Length> lengths_;
  Array<Holder> holders_;  // sorted by key; equal pieces of an item share one
  Array<std::uint64_t> slots_;
  Array<std::uint32_t> least_hits_;
  Array<std::uint8_t> dropped_;  // 1: a window of the item's passages was not recorded
  std::uint64_t overlap_ = 0;
  std::uint64_t partly_ = 0;
};

// An item that was found in a document.
struct ReferenceFound {
  std::uint32_t item = 0;
  double share = 0;  // of the item's tokens
  ByteRange where;   // in the document
  friend bool operator==(const ReferenceFound&, const ReferenceFound&) = default;
};

// Keeps its buffers: use one per thread.
class ReferenceSearch {
 public:
  ReferenceSearch(const ReferenceWindows& windows, TokenizerKind tokenizer, MemoryBudget& budget);

  // Calls found() for every different item that occurs in the text, in the order of items, with its best place: for
  // a whole item the place with the least distance, the first of several; otherwise the longest passage.
  void search(std::string_view text, const std::function<void(const ReferenceFound&)>& found);

 private:
  struct Hit {
    std::uint32_t item;
    std::uint32_t passage;
    std::uint32_t at;      // index into tokens_
    std::uint32_t offset;  // in the item; kAnywhere for a piece that the item contains more than once
    friend auto operator<=>(const Hit&, const Hit&) = default;
  };
  // A place in tokens of the document; `bytes` is the same place in bytes.
  struct Place {
    std::uint32_t item = 0;
    bool whole = false;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t distance = 0;  // for a whole item
    std::uint64_t offset = 0;    // for a passage: where it begins in the item
    ByteRange bytes;
  };

  void search_segment();
  void propose();
  void look_for_whole(std::uint32_t item, std::span<const Hit> hits);
  void look_for_passages(std::uint32_t item, std::span<const Hit> hits);
  // Keeps a place that covers tokens [begin, end) of the segment.
  void keep(Place place, std::size_t begin, std::size_t end);
  void join_passages();
  static constexpr std::uint32_t kAnywhere = ~std::uint32_t{0};

  const ReferenceWindows& windows_;
  text::TokenHasher hasher_;
  matching::EditSearch edits_;
  std::uint64_t segment_;  // in tokens
  // The current segment of the document; its first token is number first_ of the document.
  Array<std::uint32_t> tokens_;
  Array<ByteRange> ranges_;
  std::uint64_t first_ = 0;
  Array<Hit> hits_;
  std::vector<std::uint64_t> sums_;
  std::vector<Place> places_;
};

}  // namespace refrain::verbs::dedup
