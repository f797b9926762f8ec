// Cuts the bytes of a file into pieces of whole records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/files/decompress.h"
#include "corpus/files/options.h"
#include "corpus/files/walk.h"
#include "corpus/formats/record_parser.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

// One file of a record format. Not thread-safe.
class RecordStream {
 public:
  // Opens the file. Throws what ByteStream::open throws. Keeps references to `file`, into which it writes the columns
  // of a table, `options` and `context`.
  RecordStream(const Input& input, RecordFile& file, const SourceOptions& options, const Context& context,
               MemoryBudget& budget, std::size_t piece_bytes);

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

 private:
  bool cut(RawPiece& piece, LargeTurn& turn);
  bool skip_record(RawPiece& piece);
  std::size_t take_rest(RawPiece& piece);
  std::size_t read(char* buffer);
  void keep(const char* begin, const char* end, bool scanned);

  const SourceOptions& options_;
  const Context& context_;
  RecordFile& file_;
  const std::size_t chunk_bytes_;
  const std::uint64_t max_raw_bytes_;
  const std::unique_ptr<RecordScanner> scanner_;
  ByteStream bytes_;
  Array<char> rest_;             // the beginning of the next piece
  std::uint64_t cut_bytes_ = 0;  // bytes of the file before rest_
  std::uint64_t replaced_ = 0;   // characters already returned by take_replaced()
  bool rest_scanned_ = false;    // no record ends in rest_
  bool at_start_ = true;
  bool skipping_ = false;  // inside a record that is too long
};

}  // namespace refrain::corpus
