// Guesses which word was meant by a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace refrain::cli {

// Returns the least number of edits that turn one word into the other. An edit inserts, deletes or replaces a letter,
// or swaps it with the next one.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the candidate that `word` most likely stands for: the one that begins with it, if there is exactly one,
// otherwise the closest, and the earliest among equally close ones. Empty if none is close enough to be suggested.
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace refrain::cli
