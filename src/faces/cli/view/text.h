// Makes untrusted text safe to print on a terminal: nothing in it can move the cursor or hide other text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "faces/cli/view/terminal.h"
#include "refrain/text.h"

namespace refrain::cli {

// Returns `text` with control characters (including those beyond ASCII, and marks that change the direction of
// writing) escaped as \x1b or \u202e, and bytes that are not UTF-8 as \xNN. With `multiline`, newlines and tabs are
// kept; otherwise they become \n and \t.
std::string printable(std::string_view text, bool multiline);

// Only the two ends of a stretch of more than kLongStretch bytes are shown, with kShownEnd bytes each.
inline constexpr std::size_t kLongStretch = 400;
inline constexpr std::size_t kShownEnd = 160;

// Like printable(), but replaces the middle of a long stretch by "[… 1,234 bytes …]". Characters are not split.
std::string elided(std::string_view text, const Look& look);

// Returns `text` with the ranges in `shared` (sorted, disjoint) marked: bold and underlined if there is color,
// otherwise by [[ and ]]. Parts of them that are in `moved` (sorted, disjoint) are bold and yellow, or in {{ and }}.
// Every stretch, shared or not, is shortened by elided(). Ends with a newline.
std::string marked(std::string_view text, std::span<const ByteRange> shared, const Look& look,
                   std::span<const ByteRange> moved = {});

// Only the two ends of a text of more than kLongText bytes are shown, with kShownTextEnd bytes each.
inline constexpr std::size_t kLongText = 2000;
inline constexpr std::size_t kShownTextEnd = 800;

// Like marked(), but leaves out the middle of a long text, whether it is marked or not.
std::string marked_ends(std::string_view text, std::span<const ByteRange> shared, const Look& look,
                        std::span<const ByteRange> moved = {});

}  // namespace refrain::cli
