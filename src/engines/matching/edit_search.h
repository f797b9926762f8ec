// Where a run of tokens stands in another one, also with some tokens changed, lost or put in between.
//
// The distance of two runs is the least number of tokens to change, to insert or to take out that makes one of them the
// other (Levenshtein). A bit a token of the pattern and one step a token of the text give the least distance that ends at
// each place of the text (Myers 1999; in blocks of 64 tokens: Hyyro 2003). Blocks at the end of the pattern in which all
// distances are too large to matter are left out (Ukkonen 1985), which in a text that is not like the pattern are most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::matching {

// Where, in tokens of the text, and how far from the pattern.
struct EditPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t distance = 0;
  friend bool operator==(const EditPlace&, const EditPlace&) = default;
};

// Keeps its buffers. Not thread-safe.
class EditSearch {
 public:
  // For tokens below `tokens`.
  EditSearch(MemoryBudget& budget, std::size_t tokens);

  // The place that is nearest to the pattern; of several the one that ends first, and of those the shortest. None where
  // the distance of all is above `most`, which must be below the length of the pattern.
  std::optional<EditPlace> find(std::span<const std::uint32_t> pattern, std::span<const std::uint32_t> text,
                                std::size_t most);

 private:
  struct Block {
    std::uint64_t plus = 0;    // where the distance rises from one token of the pattern to the next
    std::uint64_t minus = 0;   // where it falls
    std::size_t distance = 0;  // at its last token
  };
  // Where each token stands in the pattern.
  template <class Pattern>
  void note(std::size_t size, Pattern pattern);
  void forget(std::span<const std::uint32_t> pattern);
  // Distances above `most` do not matter.
  void start(std::size_t most);
  // One token of the text more. `from` is how the distance to nothing at all changes with it: 0 where the text may be
  // entered anywhere, else 1.
  void step(std::uint32_t token, int from, std::size_t most);
  // The same in one block; `from` is the change before it, and the change at its end is returned.
  int step(Block& block, std::uint64_t equal, int from) const;
  void enter_block(std::size_t block, std::size_t before);
  // Of the pattern and what was stepped through, as long as that is no more than `most`.
  std::size_t distance() const { return active_ == blocks_.size() ? blocks_.back().distance : kFar; }
  static constexpr std::size_t kFar = ~std::size_t{0};

  Array<std::uint32_t> rows_of_;     // by token: 1 and more where it stands in the pattern
  std::vector<std::uint64_t> rows_;  // a row a different token, of blocks; the first is empty
  std::vector<Block> blocks_;
  std::size_t active_ = 0;       // the first so many blocks
  std::uint64_t last_bit_ = 0;   // of the last block: the end of the pattern
  std::size_t last_tokens_ = 0;  // in the last block
};

}  // namespace refrain::matching
