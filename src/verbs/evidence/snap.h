// Shrinks ranges to whole units: characters, words or lines.
//
// The beginning of a range moves up and its end moves down until neither is inside a unit. The remaining range
// holds whole units only and may be empty.
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

// Not thread-safe: use one per thread. Words are those of the tokenizer `words`, so scripts without spaces are cut
// between characters.
class Snapper {
 public:
  Snapper(Snap snap, const TextSource& text);

  // Shrinks `range` within the document. Returns nullopt if nothing is left.
  std::optional<ByteRange> shrink(ByteRange range, ByteRange document);

 private:
  // The unit that contains `at` in its interior (begin < at < end); nullopt if `at` is between two units.
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
