// Contamination: finds which items of another set, such as a benchmark, a text contains.
//
// Only tokens are compared, so line breaks, case and punctuation do not matter. A text contains an item of n tokens
//   whole    if some stretch of the text becomes the item by at most n * (1 - share) changes, insertions or deletions
//            of a token; for items of up to 4,096 tokens
//   in part  if `passage` consecutive tokens are the same in both
// The search misses nothing, with one exception: it may miss edited copies of an item that shares its wording with
// very many other items; common() counts such items. dedup's `against` uses this search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "refrain/context.h"
#include "refrain/documents.h"
#include "refrain/fingerprint.h"
#include "refrain/list_column.h"
#include "refrain/text.h"

namespace [[gnu::visibility("default")]] refrain {

// The defaults are the same as dedup's.
struct ItemRules {
  std::uint64_t min_tokens = 8;  // shorter items are skipped, because they occur by chance
  double share = 0.8;            // from 0.6 to 1
  std::uint64_t passage = 50;    // consecutive tokens, from 8 to 4,096
  TokenizerKind tokenizer = TokenizerKind::words_nfkc;
};

struct FoundItem {
  std::uint64_t item = 0;  // its position among the items
  double share = 0;        // of the item's tokens, found there
  ByteRange where = {};    // in the text
  friend bool operator==(const FoundItem&, const FoundItem&) = default;
};

// Holds its own copy of the items. Immutable and cheap to copy; threads may share one.
class ItemSearcher {
 public:
  // context.memory_bytes limits the memory that the set takes as long as it lives. A null item keeps its position and
  // is never found. Throws Error(invalid_argument) for rules that are out of range.
  ItemSearcher(const TextColumn& items, const ItemRules& rules, const Context& context);
  ItemSearcher(std::span<const std::string> items, const ItemRules& rules, const Context& context);
  ~ItemSearcher();
  ItemSearcher(const ItemSearcher&);
  ItemSearcher& operator=(const ItemSearcher&);

  // Finds the items in each text, in ascending order, each with its best place: the whole item with the fewest edits,
  // or else the longest passage; the first such place if there are several. If several items have the same tokens,
  // only the first is reported (see first_like()). A null text contains none. context.memory_bytes comes on top of
  // what the set takes. Each call sets up buffers, so pass whole columns, not single texts.
  ListColumn<FoundItem> find(const TextColumn& texts, const Context& context) const;

  std::size_t size() const;
  // The first item with the same tokens as item i, which may be i itself.
  std::size_t first_like(std::size_t i) const;
  // Whether item i is null or has too few tokens.
  bool skipped(std::size_t i) const;
  // The number of items whose edited copies may be missed; see the top of this file.
  std::uint64_t common() const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace refrain
