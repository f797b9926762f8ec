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
#include <vector>

#include "corpus/formats/batch_builder.h"
#include "refrain/input.h"

namespace refrain::corpus {

struct RawPiece;

// Finds the ends of records in a file that is read in chunks.
class CsvScanner {
 public:
  explicit CsvScanner(char delimiter) : delimiter_(delimiter) {}
  char delimiter() const { return delimiter_; }

  // The offset after the last line break in `bytes` that ends a record, or npos. Consumes all of `bytes`.
  std::size_t last_end(std::string_view bytes);
  // The same for the first such line break. Bytes after it are not consumed.
  std::size_t first_end(std::string_view bytes);

 private:
  enum class State { field_start, plain, quoted, after_quote };
  std::size_t next_end(std::string_view bytes, std::size_t at);

  char delimiter_;
  State state_ = State::field_start;
};

// The columns that the header row names.
struct CsvColumns {
  std::size_t count = 0;  // 0: no header yet
  std::size_t text = 0;
  std::size_t id = 0;              // the same as `text` if there is no id column
  bool own_ids = true;             // whether there is an id column
  std::vector<std::size_t> extra;  // one per field of InputOptions::extra_fields; kNoColumn if it does not exist

  static constexpr std::size_t kNoColumn = ~std::size_t{0};
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

// Parses from piece.begin until the piece ends or `builder` is full, and updates piece.begin and piece.line.
void parse_csv(RawPiece& piece, const CsvColumns& columns, char delimiter, const std::string& path,
               const InputOptions& options, BatchBuilder& builder);

// The content of one field, given as it is stored, with its quotes, if any. nullopt if a quote is not closed.
std::optional<std::string> csv_content(std::string_view raw, char delimiter);

}  // namespace refrain::corpus
