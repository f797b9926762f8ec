// A plain file of lines, cut by bytes: any piece can be read without those before it, by many workers at once.
//
// A record belongs to the piece in which its first byte lies. A piece reads on past its own end to where its last record
// ends; a piece inside a long record has none of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/files/random_file.h"
#include "corpus/files/options.h"
#include "corpus/files/walk.h"
#include "corpus/formats/piece.h"

namespace refrain::corpus {

// Thread-safe.
class LineRanges {
 public:
  // Whether a file of this format can be cut so, where it is not compressed.
  static bool suits(Format format) { return format == Format::jsonl || format == Format::lines; }

  // Throws what RandomFile throws.
  LineRanges(const Input& input, const SourceOptions& options, std::size_t piece_bytes);

  std::uint64_t pieces() const { return (file_.size() + range_bytes_ - 1) / range_bytes_; }  // 0 of an empty file
  // Of the file that belong to the piece.
  std::uint64_t bytes(std::uint64_t piece) const;

  // The records of a piece. A byte order mark stands before into.begin. Where the last one is too long it is left out, and
  // its place in the file returned.
  std::optional<std::uint64_t> read(std::uint64_t piece, RawPiece& into, LargeTurn& turn) const;

  // Bytes of a record that is too long, from `begin` on: as many as `into` was made for, up to the line break that ends
  // it. True where there are more.
  bool read_more(std::uint64_t begin, RawPiece& into) const;

 private:
  const RandomFile file_;
  const std::size_t range_bytes_;
  const std::uint64_t max_raw_bytes_;
};

}  // namespace refrain::corpus
