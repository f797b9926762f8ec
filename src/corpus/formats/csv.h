// Tables: RFC 4180, with a comma or a tab between the fields.
//
// A field that begins with a quote goes on to the closing one, over delimiters and line breaks; "" inside is a quote. A
// quote anywhere else, and what follows a closing quote, is taken as it stands. A wholly empty line is no record.
//
// The scanner (where does a record end?) and the parser (what does it say?) follow the same rules; a test holds them
// together.
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

// Finds the ends of records in a file that comes in chunks.
class CsvScanner {
 public:
  explicit CsvScanner(char delimiter) : delimiter_(delimiter) {}
  char delimiter() const { return delimiter_; }

  // The offset behind the last line break in `bytes` that ends a record, or npos. All of `bytes` is taken.
  std::size_t last_end(std::string_view bytes);
  // The same for the first one; what is behind it is not taken.
  std::size_t first_end(std::string_view bytes);

 private:
  enum class State { field_start, plain, quoted, after_quote };
  std::size_t next_end(std::string_view bytes, std::size_t at);

  char delimiter_;
  State state_ = State::field_start;
};

// What the header row says.
struct CsvColumns {
  std::vector<std::string> names;  // empty: no header yet
  std::size_t text = 0;
  std::size_t id = 0;              // the same as `text` where there is none
  bool own_ids = true;             // else there is none
  std::vector<std::size_t> extra;  // one a field of InputOptions::extra_fields; kNoColumn where there is none

  static constexpr std::size_t kNoColumn = ~std::size_t{0};
};

// How much of a piece a header row took.
struct CsvRest {
  std::size_t header = 0;  // where the header row begins
  std::size_t begin = 0;   // what follows it
  std::uint64_t lines = 0;
};

// Reads the header, the first line of `bytes` that is not empty, into `columns`, which stay empty where there is none.
// Error(bad_input) where a field of `options` is not among the names.
CsvRest read_csv_header(std::string_view bytes, char delimiter, const std::string& path, const InputOptions& options,
                        CsvColumns& columns);

struct CsvRow {
  std::size_t columns = 0;
  std::size_t content_end = 0;  // behind its last field, before its line break
};

// Of one row, with its line break or without, in which all quotes are closed.
CsvRow measure_csv_row(std::string_view row, char delimiter);

// Parses from piece.begin on until the piece or the room in `builder` ends, and moves piece.begin and piece.line there.
void parse_csv(RawPiece& piece, const CsvColumns& columns, char delimiter, const std::string& path,
               const InputOptions& options, BatchBuilder& builder);

// The content of one field, as it stands with its quotes, if it has any. nullopt where a quote is not closed.
std::optional<std::string> csv_content(std::string_view raw, char delimiter);

}  // namespace refrain::corpus
