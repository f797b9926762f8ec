// The columns of a schema: finds them by name and reads their values.
#pragma once

#include <parquet/column_reader.h>
#include <parquet/schema.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "corpus/files/parquet_module.h"

namespace refrain::corpus {

// The column that a name leads to. A dot enters groups, unless there is a field with the dot in its name.
struct FoundColumn {
  bool there = false;
  int leaf = -1;  // index among the stored columns; -1 if it is a group, or holds more than one value per row
  const parquet::ColumnDescriptor* descriptor = nullptr;
};
FoundColumn find_column(const parquet::SchemaDescriptor& schema, const std::string& name);

// Whether its values are bytes that may be a text.
bool is_text(const parquet::ColumnDescriptor& column);
// Whether its values must be UTF-8.
bool is_utf8(const parquet::ColumnDescriptor& column);

// For messages: "int64", "a list or a struct".
std::string type_name(const FoundColumn& column);

// For messages: "'id', 'meta.text' and 3 more".
std::string column_names(const parquet::SchemaDescriptor& schema);

// Iterates over a column that holds one value per row.
class ColumnCursor {
 public:
  ColumnCursor() = default;
  ColumnCursor(const ColumnCursor&) = delete;
  ColumnCursor& operator=(const ColumnCursor&) = delete;
  virtual ~ColumnCursor() = default;
  // The value of the next row, valid until the next call. Throws ParquetException if there are no more rows.
  virtual ParquetValue next() = 0;
};

std::unique_ptr<ColumnCursor> make_cursor(std::shared_ptr<parquet::ColumnReader> reader);

}  // namespace refrain::corpus
