// Two texts as they are written. To a tokenizer of words operator== is operator!=, and a long name differs from another
// by one of its many words; yet that is what a page may be about.
//
// A run of ASCII characters without white space that holds a symbol (< > = & + ~ ^ % / \ @ $ * _ | # or ::) is a *written
// token*, without the punctuation around it. Case does not count, nor the form of a character (NFKC).
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

// What a text holds of them.
struct WrittenTokens {
  std::vector<std::uint64_t> hashes;  // ascending
  std::uint64_t length = 0;           // of the text: runs without white space; a character beyond ASCII is one
};

// Not thread-safe.
class WrittenReader {
 public:
  // Longer texts are not about a symbol: nothing is told of them.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;

  void read(std::string_view text, WrittenTokens& out);

 private:
  bool find(std::string_view text, WrittenTokens& out);

  std::vector<std::uint64_t> marked_;  // a bit a byte
  std::vector<std::uint64_t> beyond_;
  std::vector<char> copy_;
};

// The similarity of texts that differ in nothing but written tokens: each that the other lacks is in `window` windows that
// the other lacks, too.
double written_similarity(const WrittenTokens& a, const WrittenTokens& b, unsigned window);

// The same of two texts.
double written_similarity(std::string_view a, std::string_view b, unsigned window, WrittenReader& reader);

}  // namespace refrain::sketch
