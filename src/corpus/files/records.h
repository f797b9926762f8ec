// Cuts the bytes of a file into pieces of whole records.
//
// Only one worker at a time can cut a file, so cutting looks at as little as possible: for lines, at the last line
// break of a piece; for CSV, also at the quotes. The parsers interpret the records, and work on several pieces in
// parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/files/decompress.h"
#include "corpus/files/options.h"
#include "corpus/files/walk.h"
#include "corpus/formats/csv.h"
#include "corpus/formats/json_values.h"
#include "corpus/formats/piece.h"
#include "corpus/formats/warc.h"
#include "corpus/markup/mbox.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

// One file of a record format. Not thread-safe.
class RecordStream {
 public:
  // Opens the file. Throws what ByteStream::open throws. Keeps references to `options` and `context`.
  RecordStream(const Input& input, const SourceOptions& options, const Context& context, MemoryBudget& budget,
               std::size_t piece_bytes);

  // Reads the next piece; returns false with the last piece, which may be empty. A byte order mark and the header row
  // of a table are skipped: they lie before piece.begin. A record that is too long comes as pieces of other kinds.
  // Throws what ByteStream::read throws, and Error(bad_input) for a header without the requested fields.
  bool next(RawPiece& piece, LargeTurn& turn);

  std::uint64_t take_consumed() { return bytes_.take_consumed(); }
  Packing packing() const { return bytes_.packing(); }
  bool recoded() const { return bytes_.recoded(); }  // the file is converted, so the bytes read are not its own
  const std::string& charset() const { return bytes_.charset(); }
  // The number of characters since the last call that could not be converted.
  std::uint64_t take_replaced();

  // The columns of a table; known after the first piece that contains a record.
  const CsvColumns& columns() const { return columns_; }

 private:
  bool cut(RawPiece& piece, LargeTurn& turn);
  bool skip_record(RawPiece& piece);
  std::size_t take_rest(RawPiece& piece);
  std::size_t read(char* buffer);
  void keep(const char* begin, const char* end, bool scanned);
  std::size_t last_end(std::string_view bytes);
  std::size_t first_end(std::string_view bytes, std::size_t& held);
  std::size_t begin_of_long_record(std::string_view bytes) const;
  bool too_long(std::string_view bytes, std::size_t& held);

  const SourceOptions& options_;
  const Context& context_;
  const std::string path_;
  const std::size_t chunk_bytes_;
  const std::uint64_t max_raw_bytes_;
  const bool table_;
  ByteStream bytes_;
  Array<char> rest_;             // the beginning of the next piece
  std::uint64_t cut_bytes_ = 0;  // bytes of the file before rest_
  std::uint64_t replaced_ = 0;   // characters already returned by take_replaced()
  bool rest_scanned_ = false;    // no record ends in rest_
  bool at_start_ = true;
  bool skipping_ = false;  // inside a record that is too long,
  bool between_ = false;   // or, in JSON, inside text between records that is too long
  CsvScanner scanner_;
  std::optional<WarcScanner> warc_;
  std::optional<MboxScanner> mbox_;
  std::optional<JsonScanner> json_;
  CsvColumns columns_;
};

}  // namespace refrain::corpus
