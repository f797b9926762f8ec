// Columns of others, read where they lie: whatever exports the Arrow C stream or array interface.
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

// Consecutive rows of a column. `array` is read from `first` on; its own offset is not in `first` yet.
struct Chunk {
  const ArrowSchema* schema = nullptr;
  const ArrowArray* array = nullptr;
  std::int64_t first = 0;
  std::int64_t length = 0;
  std::shared_ptr<const void> owner = {};  // of the schema and the array
};

// All rows of an object with __arrow_c_array__ or __arrow_c_stream__. Holds no copy of the data.
std::vector<Chunk> import_arrow(nanobind::handle object);
// Whether it has one of the two methods.
bool exports_arrow(nanobind::handle object);

// Column `name` of a table. A chunk that is no table, but a column, is that column itself.
Chunk column_of(const Chunk& chunk, std::string_view name);
bool has_column(const Chunk& chunk, std::string_view name);
// Whether row i of the chunk is not null.
bool is_valid(const Chunk& chunk, std::int64_t i);

// Strings as verbs and kernels read them.
struct Texts {
  TextColumn column;
  std::shared_ptr<const void> owner = {};
};

// Of a chunk of strings or bytes, 32-bit or 64-bit offsets; of string views and of dictionaries, which are unpacked.
// With `values`, as ids and fields are read: numbers and dates too, as texts. `what` begins the error.
Texts texts_of(const Chunk& chunk, std::string_view what, bool values = false);
// Whether its strings have to be unpacked before they can be read.
bool is_packed(const Chunk& chunk);
// A number in decimal, a date or time as ISO 8601 writes it; row i is not null.
std::string value_text(const Chunk& chunk, std::int64_t i, std::string_view what);
// Of a list of str and None.
Texts texts_of_list(nanobind::handle list, std::string_view what);

// A column of text, or a table with one called `name`, or a list of str: chunk by chunk.
std::vector<Texts> import_texts(nanobind::handle object, std::string_view name = "text");
// The same in one piece; copied where it is in several.
Texts import_one_text(nanobind::handle object, std::string_view name = "text");

// Whole numbers of any width, not negative. Nulls are an error, or 0 with `valid` telling them.
std::vector<std::uint64_t> import_numbers(nanobind::handle object, std::string_view what,
                                          std::vector<std::uint8_t>* valid = nullptr);
std::vector<std::uint64_t> numbers_of(const Chunk& chunk, std::string_view what,
                                      std::vector<std::uint8_t>* valid = nullptr);

}  // namespace refrain::python
