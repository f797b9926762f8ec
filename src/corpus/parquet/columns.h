// The columns of a Parquet file: finds them by name and reads their values, formatted as text: numbers as in JSON,
// points in time in ISO 8601.
//
//   INT32, INT64       integers, decimals, dates, times of day, points in time, according to the logical type
//   INT96              a point in time, to the nanosecond
//   FLOAT, DOUBLE      the shortest number that is read back unchanged; null for NaN and infinity
//   BYTE_ARRAY         a string, unchanged; a decimal as a number
//   FIXED_LEN_...      a decimal, a half-precision number, a UUID; anything else as its bytes
//
// Fractions of a second have as many digits as the unit of the column (3, 6 or 9), so that the values of a column
// sort by their bytes. Points in time in UTC end in Z; local times have no suffix.
#pragma once

#include <parquet/column_reader.h>
#include <parquet/schema.h>
#include <parquet/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "corpus/files/parquet_module.h"

namespace refrain::corpus {

// Formats the values of one column. The result is valid until the next call.
class ValueWriter {
 public:
  explicit ValueWriter(const parquet::ColumnDescriptor& column);

  ParquetValue write(bool value);
  ParquetValue write(int32_t value) { return write_integer(value); }
  ParquetValue write(int64_t value) { return write_integer(value); }
  ParquetValue write(const parquet::Int96& value);
  ParquetValue write(float value);
  ParquetValue write(double value);
  ParquetValue write(const parquet::ByteArray& value);
  ParquetValue write(const parquet::FixedLenByteArray& value);

 private:
  enum class Form { plain, unsigned_integer, decimal, date, time, timestamp, uuid, half };

  ParquetValue write_integer(int64_t value);
  ParquetValue write_decimal(const uint8_t* bytes, int32_t size);
  ParquetValue number() const { return {FieldKind::number, text_}; }
  ParquetValue string() const { return {FieldKind::string, text_}; }

  Form form_ = Form::plain;
  bool narrow_ = false;  // 32 bits
  bool utc_ = false;
  int32_t scale_ = 0;        // of decimals
  int64_t per_second_ = 1;   // units of time
  int32_t fixed_bytes_ = 0;  // of FIXED_LEN_BYTE_ARRAY
  std::string text_;
};

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
