// Ranges that cut nothing in two: a character, a word, a line.
//
// A range shrinks: its begin moves up and its end moves down until neither stands inside a unit. What is left holds
// whole units only; it may be nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "refrain/substrings.h"
#include "refrain/text.h"
#include "refrain/text_source.h"
#include "text/tokenizer.h"

namespace refrain::verbs::evidence {

// One a thread. Words are those of the tokenizer `words`, so that scripts without spaces are cut between characters.
class Snapper {
 public:
  Snapper(Snap snap, const TextSource& text);

  // `range`, shrunk, in the document [document.begin, document.end).
  std::optional<ByteRange> shrink(ByteRange range, ByteRange document);

 private:
  // The unit that `at` stands inside: begin < at < end; nothing where it stands between two.
  std::optional<ByteRange> character(std::uint64_t at, ByteRange document);
  std::optional<ByteRange> word(std::uint64_t at, ByteRange document);
  std::uint64_t line_after(ByteRange range, ByteRange document);
  std::uint64_t line_before(ByteRange range, ByteRange document);
  std::string_view read(std::uint64_t begin, std::uint64_t end);

  const Snap snap_;
  const TextSource& text_;
  std::unique_ptr<const text::Tokenizer> words_;
  text::TokenBlock block_;
  std::vector<char> scratch_;
};

}  // namespace refrain::verbs::evidence
