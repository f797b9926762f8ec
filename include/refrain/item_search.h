// Contamination: which items of another set, such as a benchmark, a text contains.
//
// Only tokens count, so line breaks, case and punctuation do not matter. A text contains an item of n tokens
//   whole    if some stretch of the text becomes the item by at most n * (1 - share) changes, insertions or deletions
//            of a token; for items of up to 4,096 tokens
//   in part  if `passage` consecutive tokens are the same in both
// Nothing is missed, with one exception: an edited copy of an item that shares its wording with very many others
// (common()). This is the search behind dedup's `against`.
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

// The defaults are those of dedup.
struct ItemRules {
  std::uint64_t min_tokens = 8;  // shorter items are skipped: they occur by chance
  double share = 0.8;            // from 0.6 to 1
  std::uint64_t passage = 50;    // tokens, from 8 to 4,096
  TokenizerKind tokenizer = TokenizerKind::words_nfkc;
};

struct FoundItem {
  std::uint64_t item = 0;  // its place among the items
  double share = 0;        // of its tokens, found there
  ByteRange where = {};    // in the text
  friend bool operator==(const FoundItem&, const FoundItem&) = default;
};

// Holds its own copy of the items. Immutable and cheap to copy; threads may share one.
class ItemSearcher {
 public:
  // context.memory_bytes is what the set may take while it lives. A null item keeps its place and is never found.
  // Error(invalid_argument) for rules out of range.
  ItemSearcher(const TextColumn& items, const ItemRules& rules, const Context& context);
  ItemSearcher(std::span<const std::string> items, const ItemRules& rules, const Context& context);
  ~ItemSearcher();
  ItemSearcher(const ItemSearcher&);
  ItemSearcher& operator=(const ItemSearcher&);

  // The items in each text, ascending, each with its best place: the whole item with the fewest edits, or else the
  // longest passage; the first if there are several. Of items with the same tokens only the first is reported
  // (first_like()). A null text has none. context.memory_bytes comes on top of what the set takes. Each call sets up
  // buffers: pass whole columns, not single texts.
  ListColumn<FoundItem> find(const TextColumn& texts, const Context& context) const;

  std::size_t size() const;
  // The first item with the same tokens as item i, which may be i itself.
  std::size_t first_like(std::size_t i) const;
  // Whether item i is null or has too few tokens.
  bool skipped(std::size_t i) const;
  // How many items may be missed where they were edited; see above.
  std::uint64_t common() const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace refrain
