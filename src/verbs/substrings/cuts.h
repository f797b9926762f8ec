// Turns repeated ranges into the cuts of each document.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/array.h"
#include "engines/substring/repeats.h"
#include "refrain/substrings.h"
#include "refrain/text.h"
#include "verbs/evidence/cut_guard.h"
#include "verbs/evidence/first_copies.h"
#include "verbs/evidence/snap.h"
#include "verbs/run/columns/text_store.h"

namespace refrain::verbs::substrings {

// Calls range_found(range) for every repeated range of the text, and piece_found(d, piece, document) for its part
// in document d, if that has at least `length` bytes; a range can only span several documents if they are one
// string. The memory of ranges is freed as they are processed.
template <class Range, class Piece>
void for_each_piece(Array<ByteRange>& ranges, const run::TextStore& text, std::size_t length, Range range_found,
                    Piece piece_found) {
  constexpr std::size_t kGiveBack = std::size_t{64} << 10U;
  std::size_t first = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (i != 0 && i % kGiveBack == 0) ranges.give_back(i - kGiveBack, kGiveBack);
    const ByteRange range = ranges[i];
    range_found(range);
    while (text.document(first).end <= range.begin) ++first;
    for (std::size_t d = first; d < text.documents() && text.document(d).begin < range.end; ++d) {
      const ByteRange document = text.document(d);
      const ByteRange piece{std::max(range.begin, document.begin), std::min(range.end, document.end)};
      if (piece.end >= piece.begin + length) piece_found(d, piece, document);
    }
  }
}

// Decides what is cut out of pieces, which must come in order.
class Cutter {
 public:
  // Keeps references to all arguments.
  Cutter(const SubstringsOptions& options, const run::TextStore& text, const substring::Repeats& found)
      : snapper_(options.snap == Snap::none && options.apply ? Snap::utf8 : options.snap, text),
        guard_(text),
        keep_(options.keep),
        first_(found.first.begin()),
        end_(found.first.end()) {}

  // Calls remove(range) for the whole piece, or for what is not part of a first copy. The calls may come now, with
  // a later piece, or in finish().
  template <class Remove>
  void cut(ByteRange piece, ByteRange document, Remove remove) {
    const auto shrink = [&](ByteRange range) {
      if (const auto cut = snapper_.shrink(range, document)) guard_.cut(*cut, document, remove);
    };
    if (keep_ == Keep::none) return shrink(piece);
    evidence::without_first_copies(piece, first_, end_, shrink);
  }
  template <class Remove>
  void finish(Remove remove) {
    guard_.finish(remove);
  }

 private:
  evidence::Snapper snapper_;
  evidence::CutGuard guard_;
  const Keep keep_;
  const ByteRange* first_;
  const ByteRange* const end_;
};

}  // namespace refrain::verbs::substrings
