// Shows a text in a report: marks what another text also contains and what it does not, and shortens long
// stretches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/text.h"

namespace refrain::verbs::evidence {

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
