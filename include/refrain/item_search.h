// Contamination: which items of another set, a benchmark say, stand in a text.
//
// What counts are tokens, so line breaks, case and punctuation do not matter. An item of n tokens stands in a text
//   whole    where some stretch of the text becomes the item by changing, inserting or taking out at most
//            n * (1 - share) tokens; for items of up to 4,096 tokens
//   in part  where `passage` tokens in a row are the same in both
// Nothing of that is missed, but that an item which shares its wording with very many others (common()) may be missed
// where it was changed. This is what dedup does with `against`.
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
  std::uint64_t min_tokens = 8;  // items of fewer are not looked for: so few return by chance
  double share = 0.8;            // from 0.6 to 1
  std::uint64_t passage = 50;    // tokens, from 8 to 4,096
  TokenizerKind tokenizer = TokenizerKind::words;
};

struct FoundItem {
  std::uint64_t item = 0;  // its place among the items
  double share = 0;        // of its tokens that stand there
  ByteRange where = {};    // in the text
  friend bool operator==(const FoundItem&, const FoundItem&) = default;
};

// The items, made ready once; they are not needed afterwards. Immutable and cheap to copy; threads may share one.
class ItemSearcher {
 public:
  // context.memory_bytes is what the set may hold as long as it lives. A null item keeps its place and is never found.
  // Error(invalid_argument) for rules out of range.
  ItemSearcher(const TextColumn& items, const ItemRules& rules, const Context& context);
  ItemSearcher(std::span<const std::string> items, const ItemRules& rules, const Context& context);
  ~ItemSearcher();
  ItemSearcher(const ItemSearcher&);
  ItemSearcher& operator=(const ItemSearcher&);

  // The items that stand in each text, ascending, each with the best of its places: whole with the fewest changes, the
  // first of several; else the longest passage. Items with the same tokens are found as the first of them
  // (first_like()). A null text has none. Memory is on top of what the set holds; give it columns rather than single
  // texts, for each call has buffers to make.
  ListColumn<FoundItem> find(const TextColumn& texts, const Context& context) const;

  std::size_t size() const;
  // The first item with the same tokens: i itself where there is none before it.
  std::size_t first_like(std::size_t i) const;
  // Whether item i is null or has too few tokens.
  bool skipped(std::size_t i) const;
  // Items that may be missed where they were changed, see above.
  std::uint64_t common() const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace refrain
