// The text of an n-gram: its tokens' normal forms, joined by one space; and the way back.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace refrain::ngram {

// The n tokens of an n-gram's text, into `tokens`. No token is empty, and a token that holds a space is that space
// alone, among tokens of one byte or one character each, so there is one way to read a text. False where there is none.
bool split_gram(std::string_view text, unsigned n, std::vector<std::string_view>& tokens);

// The key that the text of an n-gram stands for; nullopt where it is not the text of n tokens.
std::optional<std::uint64_t> key_of_text(std::string_view text, unsigned n);

}  // namespace refrain::ngram
