// The word that was meant, where one was mistyped.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace refrain::cli {

// The least number of letters to put in, take out, change or swap with the next, to make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that `word` was most likely to be: the one that it begins, where there is just one, else the closest,
// the earliest of equals. Empty where none is close enough to be worth naming.
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace refrain::cli
