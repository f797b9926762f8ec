// Compares two texts as they are written. To a tokenizer of words, operator== equals operator!=, and a long name
// differs from another in only one of its many words; yet that may be what a page is about.
//
// A run of ASCII characters without white space that contains a symbol (< > = & + ~ ^ % / \ @ $ * _ | # or ::) is a
// *written token*, without the punctuation around it. Case does not count, nor does the form of a character (NFKC).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/dedup.h"
#include "refrain/fingerprint.h"

namespace refrain::sketch {

// The written tokens of a text.
struct WrittenTokens {
  std::vector<std::uint64_t> hashes;  // ascending
  std::uint64_t length = 0;           // of the text: runs without white space; a non-ASCII character is one
};

// Not thread-safe.
class WrittenReader {
 public:
  // The limit for texts. A longer text is not about a symbol, so its result is empty.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;

  void read(std::string_view text, WrittenTokens& out);

 private:
  bool find(std::string_view text, WrittenTokens& out);

  std::vector<std::uint64_t> marked_;  // one bit per byte
  std::vector<std::uint64_t> non_ascii_;
  std::vector<char> copy_;
};

// The similarity of two texts if they differ only in written tokens. Each written token that the other text lacks is
// assumed to be in `window` windows that the other lacks.
double written_similarity(const WrittenTokens& a, const WrittenTokens& b, unsigned window);

// The same, computed from the two texts.
double written_similarity(std::string_view a, std::string_view b, unsigned window, WrittenReader& reader);

// Returns a text in NFKC, with ignorable characters such as soft hyphens removed and characters beyond ASCII
// case-folded; an ASCII letter may be folded, too, if such a character follows it. Bytes that are not UTF-8 are left
// unchanged.
std::string normal_form(std::string_view text);

}  // namespace refrain::sketch
