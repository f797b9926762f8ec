// A plain file of lines, cut at fixed offsets. Any piece can be read without those before it, by many workers at once.
//
// A record belongs to the piece that contains its first byte. A piece extends past its own end to the end of its last
// record; a piece that lies inside a long record has no records of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/files/file.h"
#include "corpus/files/options.h"
#include "corpus/files/walk.h"
#include "corpus/formats/piece.h"

namespace refrain::corpus {

// Thread-safe.
class LineRanges {
 public:
  // Throws what RandomFile throws.
  LineRanges(const Input& input, const SourceOptions& options, std::size_t piece_bytes);

  std::uint64_t pieces() const { return (file_.size() + range_bytes_ - 1) / range_bytes_; }  // 0 for an empty file
  // The number of bytes of the file that belong to the piece.
  std::uint64_t bytes(std::uint64_t piece) const;

  // Reads the records of a piece into `into`. A byte order mark lies before into.begin. If the last record is too
  // long, it is left out and its offset in the file is returned.
  std::optional<std::uint64_t> read(std::uint64_t piece, RawPiece& into, LargeTurn& turn) const;

  // Reads the next bytes of a record that is too long, from offset `begin` up to the line break that ends it, but at
  // most as many bytes as a piece has by itself. Returns whether the record continues.
  bool read_more(std::uint64_t begin, RawPiece& into) const;

 private:
  const RandomFile file_;
  const std::size_t range_bytes_;
  const std::uint64_t max_raw_bytes_;
};

}  // namespace refrain::corpus
