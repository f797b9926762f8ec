// Two texts as they are written. To a tokenizer of words operator== is operator!=, and a long name differs from another
// by one of its many words; yet that is what a page may be about.
//
// What is compared are *written tokens*. A run of ASCII characters without white space that holds a symbol (< > = & + ~ ^ %
// / \ @ $ * _ | # or ::) is one of them, without the punctuation around it; any other run is its words. A character beyond
// ASCII is one by itself, so that texts without spaces fare no worse; punctuation is none. Case does not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "refrain/dedup.h"
#include "refrain/fingerprint.h"

namespace refrain::sketch {

// Whether it matters how texts are written: this tokenizer passes over symbols, and not any loss will do.
bool looks_at_symbols(std::uint32_t max_loss, TokenizerKind tokenizer);

// Not thread-safe.
class WrittenTexts {
 public:
  // Longer texts are not about a symbol.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;

  explicit WrittenTexts(unsigned window) : window_(window) {}

  // The Jaccard similarity of their sets of windows of written tokens. 1 where the tokens with symbols are the same in both,
  // in the same order, and where a text is longer than kMostBytes. Characters beyond ASCII are compared in NFKC.
  double similarity(std::string_view a, std::string_view b);

 private:
  // A hash of the tokens that hold a symbol, in order. Fast where there are few.
  std::uint64_t symbols(std::string_view text);
  static void read(std::string_view text, std::vector<std::uint64_t>& tokens);
  // Makes the set of windows of them.
  void make_set(std::vector<std::uint64_t>& tokens) const;

  const unsigned window_;
  std::vector<std::uint64_t> first_;
  std::vector<std::uint64_t> second_;
  std::vector<std::uint64_t> marked_;  // a bit a byte
  std::vector<std::uint64_t> beyond_;
  std::vector<char> lower_;
};

}  // namespace refrain::sketch
