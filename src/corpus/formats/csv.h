// Tables: RFC 4180, with a comma or another delimiter between the fields.
//
// A field that begins with a quote extends to the closing quote, across delimiters and line breaks; "" inside is a
// quote. A quote anywhere else, and text that follows a closing quote, is taken literally. An empty line is not a
// record.
//
// The scanner, which finds where records end, and the parser, which reads them, follow the same rules. A test
// verifies that they agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "corpus/formats/record_parser.h"
#include "refrain/input.h"

namespace refrain::corpus {

class CsvScanner final : public RecordScanner {
 public:
  using RecordScanner::RecordScanner;
  std::size_t last_end(std::string_view bytes) override;
  std::size_t first_end(std::string_view bytes, std::size_t& held) override;
  void read_header(RawPiece& piece, RecordFile& file, const InputOptions& options) override;

 private:
  enum class State { field_start, plain, quoted, after_quote };
  std::size_t next_end(std::string_view bytes, std::size_t at);

  State state_ = State::field_start;
};

class CsvParser final : public RecordParser {
 public:
  using RecordParser::RecordParser;
  bool parse(RawPiece& piece, const RecordFile& file, LargeTurn& turn, BatchBuilder& builder) override;
};

// How much of a piece the header row takes.
struct CsvHeaderExtent {
  std::size_t header = 0;  // where the header row begins
  std::size_t begin = 0;   // where the rows after it begin
  std::uint64_t lines = 0;
};

// Reads the header, the first non-empty line of `bytes`, into `columns`, which stay empty if there is none. Throws
// Error(bad_input) if a required field of `options` is not among the names, or if there are too many columns.
CsvHeaderExtent read_csv_header(std::string_view bytes, char delimiter, const std::string& path,
                                const InputOptions& options, CsvColumns& columns);

struct CsvRow {
  std::size_t columns = 0;
  std::size_t content_end = 0;  // the end of its last field, before the line break
};

// Measures one row, with or without its line break, in which all quotes are closed.
CsvRow measure_csv_row(std::string_view row, char delimiter);

// The content of one field, given as it is stored, with its quotes, if any. nullopt if a quote is not closed.
std::optional<std::string> csv_content(std::string_view raw, char delimiter);

}  // namespace refrain::corpus
