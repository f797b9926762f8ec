// The table of input formats, and how the format of a file is determined: by its name and, if the name does not settle
// it, by its beginning.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "corpus/files/options.h"
#include "corpus/formats/record_parser.h"
#include "refrain/input.h"

namespace refrain::corpus {

// How the text of a document is stored.
enum class Storage {
  file,     // as the whole file
  line,     // as a line
  json,     // as a JSON string in an object, which is a record
  field,    // as a field of a table
  column,   // in a column of a file that the Parquet module reads
  decoded,  // in another form, which cannot be cut; records have headers as fields
};

// A row of the table.
struct InputFormat {
  Format id = Format::automatic;
  std::string_view name = {};   // for --format
  std::string_view title = {};  // for the list of what an input contains
  std::string_view noun = {};   // for messages, if texts are decoded
  Storage storage = Storage::decoded;
  std::vector<std::string_view> endings = {};  // extensions of files, in upper or lower case
  // Recognizes files that have none of these, by their beginnings. Files in folders must also have usual names.
  bool (*begins)(std::string_view beginning) = nullptr;
  bool (*is_usual_name)(std::string_view path) = nullptr;

  // Records have ids, even if no id field is named.
  bool own_ids = false;
  // Every line is a record, so a file that is not compressed can be read from many places at once.
  bool splits = false;
  // Brackets and commas are between records.
  bool listed = false;
  // The character between the columns of a table. The options, or the header, may replace a comma.
  char delimiter = 0;
  // For records that are compressed one by one and have no line numbers: the size of the first record of `bytes`.
  std::size_t (*record_size)(std::string_view bytes, std::uint64_t most_bytes) = nullptr;

  // Null for files and columns.
  std::unique_ptr<RecordScanner> (*scanner)(std::uint64_t most_bytes, char delimiter) = nullptr;
  std::unique_ptr<RecordParser> (*parser)(MemoryBudget& budget, std::size_t piece_bytes,
                                          const InputOptions& options) = nullptr;

  // Whether the options name the fields of records, and fields can be added to them.
  bool has_fields() const {
    return storage == Storage::json || storage == Storage::field || storage == Storage::column;
  }
  // Whether texts can be read again by their offsets in the file.
  bool is_literal() const { return storage != Storage::column && storage != Storage::decoded && !listed; }
  // The maximum size of a record. A line may have a carriage return.
  std::uint64_t max_record_bytes(std::uint64_t max_doc_bytes) const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
    return storage == Storage::line ? std::min(max_doc_bytes, kMost) + 1 : max_raw_bytes(max_doc_bytes);
  }
};

// Makes the parts of a row.
template <class Scanner>
std::unique_ptr<RecordScanner> make_scanner(std::uint64_t most_bytes, char delimiter) {
  return std::make_unique<Scanner>(most_bytes, delimiter);
}
template <class Parser>
std::unique_ptr<RecordParser> make_parser(MemoryBudget& budget, std::size_t piece_bytes, const InputOptions& options) {
  return std::make_unique<Parser>(budget, piece_bytes, options);
}

// The row of a format; that of `files` for `automatic`.
const InputFormat& format_row(const SourceOptions& options, Format format);

// The size of a regular file; 0 for anything else.
std::uint64_t regular_size(const std::string& path);

// The format by the name, ignoring an extension of compression. Null for .json, whose content decides.
const InputFormat* format_of(const SourceOptions& options, std::string_view path);

// `named`: the user named the file, rather than its folder; `source`: the path of the content.
const InputFormat& recognized_format(const SourceOptions& options, MemoryBudget& budget, const std::string& path,
                                     bool named, const std::string& source);

// The delimiter with which the header row of a table has the text field; a comma if none has. Errors in reading are
// ignored here and reported when the file is read. A pipe is not touched.
char sniffed_delimiter(const InputOptions& options, const std::string& path, MemoryBudget& budget);

// Decodes the raw bytes of a text in its file (corpus/files/raw.h). nullopt if they are not a valid text in this
// format, or there is no such format.
std::optional<std::string> text_of_raw(Format format, std::string_view raw);

}  // namespace refrain::corpus
