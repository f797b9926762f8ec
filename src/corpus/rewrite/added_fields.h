// Formats fields that are added to records, according to the format of the file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/files/walk.h"
#include "corpus/formats/edits.h"
#include "refrain/error.h"
#include "refrain/input.h"

namespace refrain::corpus {

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
