// The parts of a record that is written again: the rest of its text, added fields, and what is between records.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/files/walk.h"
#include "corpus/formats/edits.h"
#include "corpus/formats/raw_json.h"
#include "refrain/error.h"
#include "refrain/input.h"
#include "refrain/text.h"

namespace refrain::corpus {

// Writes the remaining parts of a text in the form that its format requires.
//
// Its buffers are reused from text to text. Not thread-safe.
class TextRewriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  // The output goes to `sink`, in parts.
  TextRewriter(MemoryBudget& budget, Sink sink);

  // Sets the text and the ranges to remove, and returns how many bytes these are. Throws Error(invalid_argument) if
  // `cuts` do not satisfy the rules of TextCuts. Keeps views of both until the next call.
  std::uint64_t cut(std::string_view text, const TextCuts& cuts);

  // Writes the rest unchanged.
  void write_plain();
  // Writes the rest as a line. `ending`: the bytes of the file after the line, starting with its line break.
  // `begins_file`: nothing precedes the line, not even a byte order mark.
  void write_line(std::string_view ending, bool begins_file);
  // Writes the rest, with each byte that is not valid UTF-8 replaced by U+FFFD.
  void write_utf8();
  // Writes the rest as the content of a JSON string; `raw` is the stored form of the whole text.
  void write_json(std::string_view raw);
  // Writes the rest as a field of a table; `raw` is the stored form of the whole text. `last`: the field is the last
  // of its record; `alone`: it is the only one.
  void write_field(std::string_view raw, bool last, bool alone);

 private:
  void write_checked(bool json);

  // Calls fn(part) for the remaining parts, none of them empty, until a call returns false. Returns whether all
  // returned true.
  template <class Fn>
  bool for_each_part(Fn fn) const;

  Sink sink_;
  std::string_view text_;
  TextCuts cuts_;
  std::string_view first_part_;  // of the rest; empty if nothing remains
  std::string_view last_part_;
  Array<char> joined_;
};

// Writes what is between the records of a file of JSON values when some records are dropped, so that an array stays
// valid.
//
// A record is dropped with the comma and the white space before it or, if nothing before it in its array is kept, with
// those after it. Brackets are kept, and so is any other text there, such as a bad record, which counts as a kept one.
//
// Handles one file at a time, from its beginning to its end, in pieces of any size. Not thread-safe.
class JsonList {
 public:
  using Sink = std::function<void(std::string_view)>;

  // Everything to be written, except the records, goes to `sink`.
  explicit JsonList(Sink sink) : sink_(std::move(sink)) {}

  void begin_file();
  // Bytes that belong to no record, or to a bad one.
  void between(std::string_view bytes);
  // The next record is kept, and the caller writes it after this call, or it is dropped.
  void keep();
  void drop();
  void end_file();

 private:
  std::size_t take_object(std::string_view bytes);

  Sink sink_;
  std::string held_;      // blanks and commas since the last record or bracket
  std::string lead_;      // those before the first record of an array, if that was dropped
  bool kept_ = false;     // something in the array was kept
  bool dropped_ = false;  // something in it was dropped before that
  bool inside_ = false;   // inside a bad record
  JsonScanner scanner_;   // of the bad record
};

// Formats fields that are added to records, according to the format of the file.
//
// Handles one file at a time, and its records in order. Not thread-safe.
class AddedFields {
 public:
  // Throws Error(invalid_argument) for names that cannot be added: duplicates, or with a dot, which would mean nested
  // JSON.
  explicit AddedFields(const Annotations& annotations);

  bool any() const { return !names_.empty(); }

  // Starts a new file; `options` as for read_csv_header. Throws Error(invalid_argument) if fields cannot be added to
  // it.
  void begin_file(const Input& input, const InputOptions& options);

  // Bytes to insert at offset `at` of the given bytes. Valid until the next call.
  struct Insertion {
    std::size_t at = 0;
    std::string_view bytes;
  };

  // To be called for a table with successive parts of the file until they contain the header: returns what to add to
  // the header, if `bytes` contain it. Throws Error(invalid_argument) if the header already has one of the names.
  Insertion header(std::string_view bytes);

  // Gets the values of a document and returns what to add to its record. Throws Error(bad_input) for a row that is
  // longer than its header.
  Insertion record(DocId document, std::string_view record);

 private:
  void add_json(std::string_view record, std::size_t brace);
  void add_row(std::size_t columns);

  const Annotations& annotations_;
  const std::vector<std::string>& names_;
  std::vector<AddedValue> values_;
  const InputOptions* options_ = nullptr;
  std::string path_;
  Storage storage_ = Storage::json;
  char delimiter_ = ',';
  std::size_t columns_ = 0;  // of the header of a table; 0: not read yet
  std::string added_;
};

// Error(invalid_argument): a field to be added already exists.
Error field_is_there(const std::string& path, const std::string& name);

}  // namespace refrain::corpus
