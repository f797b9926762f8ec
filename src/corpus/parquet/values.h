// The values of a column in words: numbers as JSON writes them, points in time in ISO 8601.
//
//   INT32, INT64       integers, decimals, dates, times of day, points in time: as their logical type says
//   INT96              a point in time, to the nanosecond
//   FLOAT, DOUBLE      the shortest that is read back the same; null where it is no number or infinite
//   BYTE_ARRAY         what it says; a decimal as a number
//   FIXED_LEN_...      a decimal, a half-precision number, a UUID; any other as its bytes
//
// The digits of fractions of a second are as many as the column has (3, 6 or 9), so that equal columns sort by bytes.
// Points in time that are known in UTC end in Z, local ones in nothing.
#pragma once

#include <parquet/schema.h>
#include <parquet/types.h>

#include <cstdint>
#include <string>

#include "corpus/files/parquet_module.h"

namespace refrain::corpus {

// Of one column. What it gives is valid until the next call.
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
