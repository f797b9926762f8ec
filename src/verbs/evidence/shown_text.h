// A text as a report shows it: what another holds too told from what it does not, long stretches shortened.
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
    both,      // the other text holds it too
    only,      // it does not
    plain,     // no word stands in it
    left_out,  // so many bytes are not shown; no text
  };
  Kind kind = Kind::plain;
  std::string text = {};
  std::uint64_t bytes = 0;  // left_out
};

struct ShownLimits {
  std::size_t both = 280;    // bytes of a stretch; a longer one is shown by its two ends, half of this each
  std::size_t only = 600;    // the same
  std::size_t bytes = 3000;  // of all that is shown
  std::size_t pieces = 120;
};

// `shared` is sorted and disjoint. `unread` bytes of the document come behind `text`. No character is cut in two.
std::vector<ShownPiece> shown_text(std::string_view text, std::span<const ByteRange> shared, std::uint64_t unread,
                                   const ShownLimits& limits = {});

// A text of more than `most` bytes by its two ends.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace refrain::verbs::evidence
