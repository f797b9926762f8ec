// Formats the values of a column as text: numbers as in JSON, points in time in ISO 8601.
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

#include <parquet/schema.h>
#include <parquet/types.h>

#include <cstdint>
#include <string>

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

}  // namespace refrain::corpus
