// Fields that are added to records, as their formats write them.
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

// One file at a time, its records in order. Not thread-safe.
class AddedFields {
 public:
  // Error(invalid_argument) for names that cannot be added: twice the same, or with a dot, which JSON would walk into.
  explicit AddedFields(const Annotations& annotations);

  bool any() const { return !names_.empty(); }

  // A new file; `options` as read_csv_header takes them. Error(invalid_argument) where nothing can be added.
  void begin_file(const Input& input, const InputOptions& options);

  // Something to be written before the byte `at` of what was asked about. Valid until the next question.
  struct Insertion {
    std::size_t at = 0;
    std::string_view bytes;
  };

  // Of a table whose header has not come yet: what its header gets, where that is in `bytes`, which follow those of the
  // last question. Error(invalid_argument) where it has one of the names.
  Insertion header(std::string_view bytes);

  // Asks for the values of a document, and gives what its record gets. Error(bad_input) for a row that is longer than
  // its header.
  Insertion record(DocId document, std::string_view record);

 private:
  void add_json(std::string_view record, std::size_t brace);
  void add_row(std::size_t columns);

  const Annotations& annotations_;
  const std::vector<std::string>& names_;
  std::vector<AddedValue> values_;
  const InputOptions* options_ = nullptr;
  std::string path_;
  Format format_ = Format::automatic;
  char delimiter_ = ',';
  std::size_t columns_ = 0;  // of the header of a table; 0: it has not come yet
  std::string added_;
};

// Error(invalid_argument): a field that was to be added is there already.
Error field_is_there(const std::string& path, const std::string& name);

}  // namespace refrain::corpus
