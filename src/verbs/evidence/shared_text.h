// Finds what two texts share: the windows of tokens that both contain, compared token by token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "refrain/context.h"
#include "refrain/text.h"
#include "text/windows.h"

namespace refrain::verbs::evidence {

struct SharedText {
  struct Side {
    std::uint64_t tokens = 0;       // without stop words
    std::uint64_t windows = 0;      // distinct ones, without those left out
    std::vector<ByteRange> shared;  // the text of windows that the other contains, too; sorted, disjoint
  };
  Side a;
  Side b;
  std::uint64_t shared_windows = 0;  // distinct windows that both contain
  double similarity = 0;             // Jaccard, of the sets of windows
};

// The windows left out of each text when two are compared; null: none.
struct LeftOutOf {
  const text::LeftOut* a = nullptr;
  const text::LeftOut* b = nullptr;
};

// Windows are compared by their tokens, not by hashes, except for those left out. Throws Error(unsupported) for a
// text of more than 4 GiB.
SharedText shared_text(std::string_view a, std::string_view b, const text::FeaturePlan& plan, MemoryBudget& budget,
                       const Context& context, const LeftOutOf& left_out = {});

// Shows a text in a report: marks what another text also contains and what it does not, and shortens long
// stretches.

struct ShownPiece {
  enum class Kind {
    both,      // the other text contains it, too
    only,      // the other text does not contain it
    plain,     // has no word
    left_out,  // `bytes` bytes are not shown; `text` is empty
  };
  Kind kind = Kind::plain;
  std::string text = {};
  std::uint64_t bytes = 0;  // for left_out
};

struct ShownLimits {
  std::size_t both = 280;    // bytes of a stretch; of a longer one, the two ends are shown, half of this each
  std::size_t only = 600;    // the same for the other kind
  std::size_t bytes = 3000;  // of the whole text
  std::size_t pieces = 120;
};

// `shared` is sorted and disjoint. `unread` is the number of bytes that follow `text` in the document. No character
// is cut.
std::vector<ShownPiece> shown_text(std::string_view text, std::span<const ByteRange> shared, std::uint64_t unread,
                                   const ShownLimits& limits = {});

// A text of more than `most` bytes is shortened to its two ends.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace refrain::verbs::evidence
