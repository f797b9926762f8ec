// Columns made by Refrain, exported through the Arrow C data interface without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/abi.h"

namespace refrain::python {

// A column or, with children, a table. Immutable; exports share its memory.
struct Column {
  std::string format;
  std::string name = {};
  std::int64_t length = 0;
  std::int64_t null_count = 0;
  std::vector<const void*> buffers = {};  // in Arrow's order; the first is the validity bitmap
  std::vector<std::shared_ptr<const void>> owners = {};
  std::vector<Column> children = {};
  std::string metadata = {};  // of the Arrow schema, encoded as there

  // Returns this column with a name.
  Column named(std::string new_name) && {
    name = std::move(new_name);
    return std::move(*this);
  }
};

template <class T>
constexpr const char* arrow_format() {
  if constexpr (std::is_same_v<T, std::uint64_t>) return "L";
  if constexpr (std::is_same_v<T, std::int64_t>) return "l";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "I";
  if constexpr (std::is_same_v<T, double>) return "g";
}

// Keeps `values` alive as long as the column, and returns their address.
template <class T>
const T* keep(Column& column, std::vector<T> values) {
  const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  column.owners.push_back(kept);
  return kept->data();
}

// Marks value i as null if valid[i] is 0. If `valid` is empty, no value is null.
void set_validity(Column& column, std::span<const std::uint8_t> valid);

template <class T>
Column number_column(std::vector<T> values, std::span<const std::uint8_t> valid = {}) {
  Column column{.format = arrow_format<T>(), .length = static_cast<std::int64_t>(values.size())};
  column.buffers = {nullptr, keep(column, std::move(values))};
  set_validity(column, valid);
  return column;
}

// Makes a column of booleans; 1 is true.
Column flag_column(std::span<const std::uint8_t> flags);

// Builds a column of strings, one after the other.
class TextBuilder {
 public:
  // Appends `part` to the string that the next add() completes.
  void append(std::string_view part) { bytes_.insert(bytes_.end(), part.begin(), part.end()); }
  void add(std::string_view rest) {
    append(rest);
    offsets_.push_back(static_cast<std::int64_t>(bytes_.size()));
  }
  Column column(std::span<const std::uint8_t> valid = {}) &&;

 private:
  std::vector<std::int64_t> offsets_ = {0};
  std::vector<char> bytes_;
};

// Makes a column of byte strings of one width, concatenated in `bytes`.
Column fixed_bytes_column(std::vector<char> bytes, std::size_t width, std::span<const std::uint8_t> valid);

// Makes a column of fixed-size lists with `width` numbers per row.
template <class T>
Column fixed_list_column(std::vector<T> values, std::size_t rows, std::size_t width,
                         std::span<const std::uint8_t> valid = {}) {
  Column column{.format = "+w:" + std::to_string(width), .length = static_cast<std::int64_t>(rows)};
  column.buffers = {nullptr};
  column.children.push_back(number_column(std::move(values)).named("item"));
  set_validity(column, valid);
  return column;
}

// Makes a column of lists; row i has the values of `items` from offsets[i] to offsets[i + 1].
Column list_column(std::vector<std::int64_t> offsets, Column items);

// Makes a table of named columns of equal length.
Column table(std::vector<Column> columns);

// Returns row i as a Python number, str or list or, for a table, a dict.
nanobind::object value_at(const Column& column, std::int64_t i);

// Defines the Python class Column, with the three methods of the interface.
void bind_columns(nanobind::module_& module);

}  // namespace refrain::python
