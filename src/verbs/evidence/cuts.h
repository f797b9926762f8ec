// Where a text may be cut: which copies stay, whole units, and what the rest of a document may begin with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "refrain/substrings.h"
#include "refrain/text.h"
#include "text/tokenizer.h"

namespace refrain::verbs::evidence {

// The parts of a repeated range that are removed when the first copy of everything stays.
//
// Calls remove(range) for the parts of `piece` that are not in [first, end), the ascending ranges that hold first
// copies. Advances `first`, so pieces must be ascending, too.
template <class Remove>
void without_first_copies(ByteRange piece, const ByteRange*& first, const ByteRange* end, Remove remove) {
  while (first != end && first->end <= piece.begin) ++first;
  std::uint64_t at = piece.begin;
  for (const ByteRange* one = first; one != end && one->begin < piece.end; ++one) {
    if (at < one->begin) remove(ByteRange{at, std::min(one->begin, piece.end)});
    at = std::min(one->end, piece.end);
  }
  if (at < piece.end) remove(ByteRange{at, piece.end});
}

// Shrinks ranges to whole units: characters, words or lines.
//
// The beginning of a range moves up and its end moves down until neither is inside a unit. The remaining range
// holds whole units only and may be empty.
//
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

// Keeps documents readable after cuts.
//
// The reader skips a file whose first 8 KiB are not text, for example because they contain a NUL byte or look like
// a PDF. A cut moves later bytes to the front, so the rest of a text could be taken for such a file. If that would
// happen, nothing is cut out of the first 8 KiB of the document.
//
// Receives the cuts of documents in order and passes on those that may be made. Holds a cut back until it is known
// what the document would begin with. Not thread-safe.
class CutGuard {
 public:
  explicit CutGuard(const TextSource& text) : text_(text) {}

  // Calls remove(range) for cuts of this document, or of the one before it.
  template <class Remove>
  void cut(ByteRange range, ByteRange document, Remove remove) {
    if (!document_ || document_->begin != document.begin) {
      finish(remove);
      document_ = document;
      kept_ = 0;
      at_ = document.begin;
    }
    if (!first_) {
      kept_ += range.begin - at_;
      at_ = range.end;
      if (!is_enough()) {
        held_.push_back(range);
        return;
      }
      release(remove);
    }
    hand_on(range, remove);
  }

  // Must be called after the last cut.
  template <class Remove>
  void finish(Remove remove) {
    if (document_ && !first_) release(remove);
    document_.reset();
    first_.reset();
  }

 private:
  template <class Remove>
  void release(Remove remove) {
    first_ = first_to_cut();
    for (const ByteRange& range : held_) hand_on(range, remove);
    held_.clear();
  }
  template <class Remove>
  void hand_on(ByteRange range, Remove remove) {
    if (range.begin < *first_) range.begin = *first_;
    if (range.begin < range.end) remove(range);
  }

  // Whether the bytes kept so far suffice to recognize the document.
  bool is_enough() const;
  // The first byte of the document that may be cut.
  std::uint64_t first_to_cut() const;

  const TextSource& text_;
  std::optional<ByteRange> document_;
  std::optional<std::uint64_t> first_;  // first byte that may be cut; nullopt: not known yet
  std::uint64_t kept_ = 0;              // bytes of the document before at_
  std::uint64_t at_ = 0;
  std::vector<ByteRange> held_;  // cuts that wait for is_enough()
};

}  // namespace refrain::verbs::evidence
