// The parts of the verb: another form of input, cuts, further passes, and passages.jsonl.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/file.h"
#include "base/files/temp.h"
#include "engines/substring/repeats.h"
#include "refrain/context.h"
#include "refrain/input.h"
#include "refrain/substrings.h"
#include "refrain/text.h"
#include "verbs/evidence/cuts.h"
#include "verbs/run/columns/text_store.h"

namespace refrain::verbs::substrings {

// The line-based input of suffix array tools: a file whose lines are documents (with their line breaks replaced by
// spaces), and optionally a file with their ids.
//
// Reads both files; without `ids_path`, ids are ordinals. Throws Error(bad_input) if their numbers of lines differ.
ReadReport read_line_corpus(const std::string& path, const std::string& ids_path, const Context& context,
                            run::TextStore& text, run::IdStore& ids);

// Turns repeated ranges into the cuts of each document.

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

// Makes further passes over what the cuts leave.
//
// One pass leaves repeats behind, because cutting joins text that was apart. If two documents lose different
// passages between the same sentences, the sentences are adjacent in both afterwards, and together they are longer
// than a window. So the remaining text is searched again until there is nothing to cut. Each pass cuts something,
// so this ends; kMostPasses limits it.

inline constexpr std::size_t kMostPasses = 32;

// Adds to `cuts`, ranges of `text` in order, the cuts of further passes. `pass_bytes` contains the bytes that the
// first pass cut; those of every further pass are appended, with 0 for the last one if nothing is left. The
// remaining text is stored like `text`: in up to `memory_bytes` of memory, or in a temporary file.
void cut_until_clean(const SubstringsOptions& options, const run::TextStore& text, std::uint64_t memory_bytes,
                     const Context& context, MemoryBudget& budget, TempSpace& temp, Array<ByteRange>& cuts,
                     std::vector<std::uint64_t>& pass_bytes);

// passages.jsonl: every repeated passage once, with its text and all its places.
//
// A passage is a range of first occurrences. Every other place lists its own part of the passage: a stretch that
// equals the passage from `offset` on. So the result is unique, and its size grows with the number of places, never
// with that of their pairs.

struct PassageCounts {
  std::uint64_t passages = 0;
  std::uint64_t places = 0;
};

// `found` must have been computed with `places`.
PassageCounts write_passages(const substring::Repeats& found, const run::TextStore& text, const run::IdStore& ids,
                             const Context& context, OutputFile& out);

}  // namespace refrain::verbs::substrings
