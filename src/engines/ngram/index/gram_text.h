// The text of an n-gram (the normal forms of its tokens, joined by single spaces), and how it is split again.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace refrain::ngram {

// Splits the text of an n-gram into its n tokens. No token is empty. A token that contains a space is exactly that
// space, and then all tokens are single bytes or single characters, so a text can be split in only one way. Returns
// false if it is not the text of n tokens.
bool split_gram(std::string_view text, unsigned n, std::vector<std::string_view>& tokens);

// Returns the key of the n-gram with this text, or nullopt if it is not the text of n tokens.
std::optional<std::uint64_t> key_of_text(std::string_view text, unsigned n);

}  // namespace refrain::ngram
