#include "engines/ngram/index/gram_key.h"

#include <algorithm>

#include "refrain/utf8.h"
#include "text/token_hash.h"

namespace refrain::ngram {

namespace {

// Splits a text whose tokens are single units. `unit_size` returns the number of bytes of the unit at an offset.
template <class UnitSize>
bool split_units(std::string_view text, unsigned n, std::vector<std::string_view>& tokens, UnitSize unit_size) {
  tokens.clear();
  std::size_t at = 0;
  while (at < text.size() && tokens.size() < n) {
    const std::size_t size = unit_size(at);
    tokens.push_back(text.substr(at, size));
    at += size;
    if (at == text.size()) return tokens.size() == n;
    if (text[at++] != ' ') return false;
  }
  return false;
}

}  // namespace

bool split_gram(std::string_view text, unsigned n, std::vector<std::string_view>& tokens) {
  tokens.clear();
  if (static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1 == n) {
    std::size_t begin = 0;
    while (true) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      if (end == begin) return false;
      tokens.push_back(text.substr(begin, end - begin));
      if (end == text.size()) return true;
      begin = end + 1;
    }
  }
  if (text.size() + 1 == std::size_t{2} * n && split_units(text, n, tokens, [](std::size_t) { return std::size_t{1}; }))
    return true;
  return split_units(text, n, tokens, [&](std::size_t at) { return std::size_t{decode_utf8(text, at).size}; });
}

std::optional<std::uint64_t> key_of_text(std::string_view text, unsigned n) {
  std::vector<std::string_view> tokens;
  if (!split_gram(text, n, tokens)) return std::nullopt;
  std::vector<std::uint64_t> hashes;
  hashes.reserve(n);
  for (const std::string_view token : tokens) hashes.push_back(text::hash_token(HashKind::xxh3, token, 0));
  return gram_key(hashes);
}

}  // namespace refrain::ngram
