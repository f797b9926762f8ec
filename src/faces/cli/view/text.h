// Foreign text, made fit for a terminal: nothing in it can move the cursor or hide what stands there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "faces/cli/view/terminal.h"
#include "refrain/text.h"

namespace refrain::cli {

// `text` with control characters (also those beyond ASCII, and marks that turn the direction of writing) spelled out as
// \x1b or \u202e, and bytes that are no UTF-8 as \xNN. Newlines and tabs stay where `multiline`, else they are \n and
// \t.
std::string printable(std::string_view text, bool multiline);

// A stretch of more than this is shown by its two ends, of this many bytes each.
inline constexpr std::size_t kLongStretch = 400;
inline constexpr std::size_t kShownEnd = 160;

// printable(), and the middle of a long stretch replaced by "[… 1,234 bytes …]". No character is cut in two.
std::string elided(std::string_view text, const Look& look);

// `text` with the ranges in `shared` (sorted, disjoint) marked: bold and underlined where there is colour, else by [[
// and ]]. What of them is in `moved` (likewise) is bold and yellow, or in {{ and }}. Every stretch, shared or not, is
// elided(). Ends with a newline.
std::string marked(std::string_view text, std::span<const ByteRange> shared, const Look& look,
                   std::span<const ByteRange> moved = {});

// A text of more than this is shown by its two ends, of this many bytes each.
inline constexpr std::size_t kLongText = 2000;
inline constexpr std::size_t kShownTextEnd = 800;

// marked(), and the middle of a long text left out as a whole, however it is marked.
std::string marked_ends(std::string_view text, std::span<const ByteRange> shared, const Look& look,
                        std::span<const ByteRange> moved = {});

}  // namespace refrain::cli
