// Finds where a run of tokens occurs in another one, even if some tokens were changed, deleted or inserted.
//
// The distance of two runs is the least number of tokens to substitute, insert or delete that turns one of them into
// the other (Levenshtein). With a bit per token of the pattern and a step per token of the text, the algorithm
// computes the least distance that ends at each position of the text (Myers 1999; in blocks of 64 tokens: Hyyro
// 2003). Blocks at the end of the pattern in which all distances are too large to matter are skipped (Ukkonen 1985);
// in a text unlike the pattern, those are most blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::matching {

// A range of tokens of the text, and its distance from the pattern.
struct EditPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t distance = 0;
  friend bool operator==(const EditPlace&, const EditPlace&) = default;
};

// Keeps its buffers between calls. Not thread-safe.
class EditSearch {
 public:
  // All tokens must be less than `tokens`.
  EditSearch(MemoryBudget& budget, std::size_t tokens);

  // Returns the place that is nearest to the pattern; of several, the one that ends first, and of those the
  // shortest. Returns none if all distances exceed `most`, or if `most` is not less than the length of the pattern.
  std::optional<EditPlace> find(std::span<const std::uint32_t> pattern, std::span<const std::uint32_t> text,
                                std::size_t most);

 private:
  struct Block {
    std::uint64_t plus = 0;    // where the distance rises from one token of the pattern to the next
    std::uint64_t minus = 0;   // where it falls
    std::size_t distance = 0;  // at the block's last token
  };
  // Records where each token occurs in the pattern.
  template <class Pattern>
  void index_pattern(std::size_t size, Pattern pattern);
  void clear_pattern(std::span<const std::uint32_t> pattern);
  // Starts a search in which distances above `most` do not matter.
  void start(std::size_t most);
  // Takes the next token of the text. `from` is the change that it makes to the distance of the empty pattern: 0 if
  // a match may begin anywhere in the text, else 1.
  void step(std::uint32_t token, int from, std::size_t most);
  // Does the same in one block. `from` is the change before the block; returns the change at its end.
  int step(Block& block, std::uint64_t equal, int from) const;
  void enter_block(std::size_t block, std::size_t before);
  // The distance between the pattern and the text so far. Correct only if it is at most `most`.
  std::size_t distance() const { return active_ == blocks_.size() ? blocks_.back().distance : kFar; }
  static constexpr std::size_t kFar = ~std::size_t{0};

  Array<std::uint32_t> rows_of_;     // by token: its row, from 1 on, or 0 if the pattern lacks it
  std::vector<std::uint64_t> rows_;  // a bit set per distinct token, in blocks; the first is empty
  std::vector<Block> blocks_;
  std::size_t active_ = 0;       // number of leading blocks that are computed
  std::uint64_t last_bit_ = 0;   // the last token of the pattern, as a bit of the last block
  std::size_t last_tokens_ = 0;  // number of tokens in the last block
};

}  // namespace refrain::matching
