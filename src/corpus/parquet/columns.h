// The columns of a schema: which of them a name means, and what their values say.
#pragma once

#include <parquet/column_reader.h>
#include <parquet/schema.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "corpus/files/parquet_module.h"

namespace refrain::corpus {

// What a name leads to. A dot walks into groups, unless there is a field with the dot in its name.
struct FoundColumn {
  bool there = false;
  int leaf = -1;  // among the columns that are stored; -1 where it is a group, or holds more than one value a row
  const parquet::ColumnDescriptor* descriptor = nullptr;
};
FoundColumn find_column(const parquet::SchemaDescriptor& schema, const std::string& name);

// Whether its values are bytes that may be a text.
bool is_text(const parquet::ColumnDescriptor& column);
// Whether they have to be UTF-8.
bool is_utf8(const parquet::ColumnDescriptor& column);

// "int64", "a list or a struct"
std::string type_name(const FoundColumn& column);

// "'id', 'meta.text' and 3 more"
std::string column_names(const parquet::SchemaDescriptor& schema);

// Goes through a column that holds one value a row.
class ColumnCursor {
 public:
  ColumnCursor() = default;
  ColumnCursor(const ColumnCursor&) = delete;
  ColumnCursor& operator=(const ColumnCursor&) = delete;
  virtual ~ColumnCursor() = default;
  // Of the next row; valid until the next call. Throws ParquetException where there is none.
  virtual ParquetValue next() = 0;
};

std::unique_ptr<ColumnCursor> make_cursor(std::shared_ptr<parquet::ColumnReader> reader);

}  // namespace refrain::corpus
