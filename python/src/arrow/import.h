// Reads columns of other libraries in place, through the Arrow C stream or array interface.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/abi.h"
#include "refrain/documents.h"

namespace refrain::python {

// Consecutive rows of a column. `first` is the first row, not counting the array's own offset.
struct Chunk {
  const ArrowSchema* schema = nullptr;
  const ArrowArray* array = nullptr;
  std::int64_t first = 0;
  std::int64_t length = 0;
  std::shared_ptr<const void> owner = {};  // keeps the schema and the array alive
};

// Returns the chunk if its layout is valid, else throws. Looks only at the schemas of its children, not at their
// data.
Chunk checked(Chunk chunk);
// The name of a column, or "".
std::string_view name_of(const ArrowSchema& schema);
// A copy of a column's metadata, encoded as there.
std::string metadata_of(const ArrowSchema& schema);
// Parses the N of the formats w:N and +w:N.
std::int64_t width_of(const ArrowSchema& schema);

// Returns all rows of an object with __arrow_c_array__ or __arrow_c_stream__, without copying the data.
std::vector<Chunk> import_arrow(nanobind::handle object);
// Whether the object has one of these methods.
bool exports_arrow(nanobind::handle object);

// Returns column `name` of a table. A chunk that is a column, not a table, is returned as it is.
Chunk column_of(const Chunk& chunk, std::string_view name);
bool has_column(const Chunk& chunk, std::string_view name);
// Whether row i of the chunk is not null.
bool is_valid(const Chunk& chunk, std::int64_t i);

// Strings in the layout that verbs and kernels read.
struct Texts {
  TextColumn column;
  std::shared_ptr<const void> owner = {};
};

// Reads a chunk of strings or bytes with 32-bit or 64-bit offsets in place; string views and dictionaries are
// unpacked. With `values`, used for ids and fields, numbers and dates are converted to text. Error messages begin
// with `what`.
Texts texts_of(const Chunk& chunk, std::string_view what, bool values = false);
// Whether the strings must be unpacked before they can be read.
bool is_packed(const Chunk& chunk);
// Returns a number in decimal, or a date or time in ISO 8601. Row i must not be null.
std::string value_text(const Chunk& chunk, std::int64_t i, std::string_view what);
// Reads a list of str and None.
Texts texts_of_list(nanobind::handle list, std::string_view what);
// Reads such a list a part at a time, so that only one part is held in UTF-8. Later changes of the list have no effect.
// Thread-safe; texts() takes the lock of the interpreter itself.
class TextList {
 public:
  TextList(nanobind::handle list, std::string_view what);
  std::size_t size() const { return size_; }
  // The sizes of the parts, which follow each other.
  const std::vector<std::size_t>& parts() const { return parts_; }
  Texts texts(std::size_t first, std::size_t count) const;

 private:
  std::shared_ptr<PyObject> items_;  // a tuple
  std::string what_;
  std::size_t size_ = 0;
  std::vector<std::size_t> parts_;
};

// Reads a column of text, a table with a column `name`, or a list of str, chunk by chunk.
std::vector<Texts> import_texts(nanobind::handle object, std::string_view name = "text");
// Does the same in one piece. Several chunks are copied together.
Texts import_one_text(nanobind::handle object, std::string_view name = "text");

// Reads non-negative integers of any width. A null is an error or, if `valid` is given, 0 with a 0 in `valid`.
std::vector<std::uint64_t> import_numbers(nanobind::handle object, std::string_view what,
                                          std::vector<std::uint8_t>* valid = nullptr);
std::vector<std::uint64_t> numbers_of(const Chunk& chunk, std::string_view what,
                                      std::vector<std::uint8_t>* valid = nullptr);

}  // namespace refrain::python
