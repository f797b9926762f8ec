// Compares two texts as they are written. To a tokenizer of words, operator== equals operator!=, and a long name
// differs from another in only one of its many words; yet that may be what a page is about.
//
// A run of ASCII characters without white space that contains a symbol (< > = & + ~ ^ % / \ @ $ * _ | # or ::) is a
// *written token*, without the punctuation around it. Case does not count, nor does the form of a character (NFKC).
//
// Numbers and negations are compared, too: they are small, but may decide what a text says. A number is a run of ASCII
// digits (after NFKC), in which single points and commas may stand. Negations are English: no, not, nor, never, none,
// neither, nothing, nobody, nowhere, without; "n't" and "cannot" are "not". Those of other languages are not known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engines/sketch/loss.h"
#include "refrain/dedup.h"
#include "refrain/fingerprint.h"

namespace refrain::sketch {

// The written tokens of a text, and which numbers and negations it has.
struct WrittenTokens {
  std::vector<std::uint64_t> hashes;  // ascending
  std::uint64_t length = 0;           // of the text: runs without white space; a non-ASCII character is one
  std::uint64_t numbers = 0;          // the sum of their hashes
  std::uint64_t negations = 0;        // the same
};

// Small things in which two texts may differ, although the texts are similar. These are bits.
inline constexpr unsigned kNumberDetail = 1;
inline constexpr unsigned kNegationDetail = 2;
inline constexpr unsigned kSymbolDetail = 4;
// Returns "number, negation": what a text with these details differs in.
std::string detail_names(unsigned details);

// Not thread-safe.
class WrittenReader {
 public:
  // The limit for texts. A longer text is not about a symbol, so its result is empty.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;

  void read(std::string_view text, WrittenTokens& out);

 private:
  bool find(std::string_view text, WrittenTokens& out);
  void find_details(std::string_view text, WrittenTokens& out);

  std::vector<std::uint64_t> marked_;  // one bit per byte
  std::vector<std::uint64_t> non_ascii_;
  std::vector<std::uint64_t> letters_;
  std::vector<char> copy_;
};

// The similarity of two texts if they differ only in written tokens. Each written token that the other text lacks is
// assumed to be in `window` windows that the other lacks.
double written_similarity(const WrittenTokens& a, const WrittenTokens& b, unsigned window);

// Which numbers, negations or written tokens only one of the texts has, or has more often: bits, as above. Order is
// not compared.
std::uint8_t differing_details(const WrittenTokens& a, const WrittenTokens& b);

// Sets `written` and `details` of a loss. The tokens must be those of words (MatchRule::reads_words).
void compare_written(const WrittenTokens& a, const WrittenTokens& b, unsigned window, const MatchRule& rule,
                     Loss& loss);

// The same for two texts, if the rule reads words and neither text is too long.
void compare_written(std::string_view a, std::string_view b, unsigned window, const MatchRule& rule,
                     WrittenReader& reader, Loss& loss);

// Returns a text in NFKC, with ignorable characters such as soft hyphens removed and characters beyond ASCII
// case-folded; an ASCII letter may be folded, too, if such a character follows it. Bytes that are not UTF-8 are left
// unchanged.
std::string normal_form(std::string_view text);

}  // namespace refrain::sketch
