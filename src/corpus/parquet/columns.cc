#include "corpus/parquet/columns.h"

#include <arrow/util/decimal.h>
#include <fmt/format.h>
#include <parquet/exception.h>
#include <parquet/types.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace refrain::corpus {

namespace {

constexpr int64_t kDaySeconds = 86400;
constexpr int64_t kNanosPerSecond = 1000000000;
constexpr int64_t kJulianEpoch = 2440588;  // the Julian day of 1970-01-01

int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// Converts days since 1970-01-01 to a date in the Gregorian calendar, extended to the time before its introduction.
std::string date_of(int64_t days) {
  constexpr int64_t kEraDays = 146097;  // 400 years
  const int64_t shifted = days + 719468;
  const int64_t era = floor_div(shifted, kEraDays);
  const int64_t day_of_era = shifted - era * kEraDays;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;  // counted from March
  const int64_t day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
  const int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

// Formats a time of day. `fraction` is in units of 1/per_second, a power of ten.
std::string time_of(int64_t seconds, int64_t fraction, int64_t per_second) {
  std::string text = fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (per_second > 1) {
    const int digits = per_second == 1000 ? 3 : per_second == 1000000 ? 6 : 9;
    text += fmt::format(".{:0{}}", fraction, digits);
  }
  return text;
}

std::string timestamp_of(int64_t value, int64_t per_second, bool utc) {
  const int64_t seconds = floor_div(value, per_second);
  const int64_t days = floor_div(seconds, kDaySeconds);
  return fmt::format("{}T{}{}", date_of(days),
                     time_of(seconds - days * kDaySeconds, value - seconds * per_second, per_second), utc ? "Z" : "");
}

int64_t units_per_second(parquet::LogicalType::TimeUnit::unit unit) {
  switch (unit) {
    case parquet::LogicalType::TimeUnit::MILLIS:
      return 1000;
    case parquet::LogicalType::TimeUnit::MICROS:
      return 1000000;
    case parquet::LogicalType::TimeUnit::NANOS:
      return kNanosPerSecond;
    default:
      return 1;
  }
}

double half_of(uint16_t bits) {
  const int exponent = bits >> 10U & 0x1F;
  const double fraction = bits & 0x3FF;
  double value = 0;
  if (exponent == 0x1F)
    value = fraction == 0 ? HUGE_VAL : std::nan("");
  else if (exponent == 0)
    value = std::ldexp(fraction, -24);
  else
    value = std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000U) != 0 ? -value : value;
}

}  // namespace

ValueWriter::ValueWriter(const parquet::ColumnDescriptor& column)
    : narrow_(column.physical_type() == parquet::Type::INT32), fixed_bytes_(column.type_length()) {
  const auto& logical = column.logical_type();
  if (!logical) return;
  if (logical->is_decimal()) {
    form_ = Form::decimal;
    scale_ = static_cast<const parquet::DecimalLogicalType&>(*logical).scale();
  } else if (logical->is_int()) {
    if (!static_cast<const parquet::IntLogicalType&>(*logical).is_signed()) form_ = Form::unsigned_integer;
  } else if (logical->is_date()) {
    form_ = Form::date;
  } else if (logical->is_time()) {
    form_ = Form::time;
    per_second_ = units_per_second(static_cast<const parquet::TimeLogicalType&>(*logical).time_unit());
  } else if (logical->is_timestamp()) {
    const auto& timestamp = static_cast<const parquet::TimestampLogicalType&>(*logical);
    form_ = Form::timestamp;
    per_second_ = units_per_second(timestamp.time_unit());
    utc_ = timestamp.is_adjusted_to_utc();
  } else if (logical->is_UUID() && fixed_bytes_ == 16) {
    form_ = Form::uuid;
  } else if (logical->is_float16() && fixed_bytes_ == 2) {
    form_ = Form::half;
  }
}

ParquetValue ValueWriter::write(bool value) {
  return {FieldKind::boolean, value ? "true" : "false"};
}

ParquetValue ValueWriter::write_integer(int64_t value) {
  switch (form_) {
    case Form::unsigned_integer:
      text_ = fmt::format("{}", narrow_ ? static_cast<uint32_t>(value) : static_cast<uint64_t>(value));
      return number();
    case Form::decimal:
      text_ = arrow::Decimal128(value).ToString(scale_);
      return number();
    case Form::date:
      text_ = date_of(value);
      return string();
    case Form::time:
      text_ = time_of(floor_div(value, per_second_), value - floor_div(value, per_second_) * per_second_, per_second_);
      return string();
    case Form::timestamp:
      text_ = timestamp_of(value, per_second_, utc_);
      return string();
    default:
      text_ = fmt::format("{}", value);
      return number();
  }
}

ParquetValue ValueWriter::write(const parquet::Int96& value) {
  int64_t nanos = 0;
  std::memcpy(&nanos, &value.value[0], sizeof nanos);
  const int64_t days = static_cast<int64_t>(value.value[2]) - kJulianEpoch;
  const int64_t seconds = floor_div(nanos, kNanosPerSecond);
  const int64_t more_days = floor_div(seconds, kDaySeconds);
  text_ = fmt::format("{}T{}", date_of(days + more_days),
                      time_of(seconds - more_days * kDaySeconds, nanos - seconds * kNanosPerSecond, kNanosPerSecond));
  return string();
}

ParquetValue ValueWriter::write(float value) {
  if (!std::isfinite(value)) return {FieldKind::null, {}};
  text_ = fmt::format("{}", value);
  return number();
}

ParquetValue ValueWriter::write(double value) {
  if (!std::isfinite(value)) return {FieldKind::null, {}};
  text_ = fmt::format("{}", value);
  return number();
}

ParquetValue ValueWriter::write_decimal(const uint8_t* bytes, int32_t size) {
  if (size <= 16) {
    if (const auto value = arrow::Decimal128::FromBigEndian(bytes, size); value.ok()) {
      text_ = value->ToString(scale_);
      return number();
    }
  } else if (const auto value = arrow::Decimal256::FromBigEndian(bytes, size); value.ok()) {
    text_ = value->ToString(scale_);
    return number();
  }
  return {FieldKind::null, {}};
}

ParquetValue ValueWriter::write(const parquet::ByteArray& value) {
  if (form_ == Form::decimal) return write_decimal(value.ptr, static_cast<int32_t>(value.len));
  return {FieldKind::string, std::string_view(reinterpret_cast<const char*>(value.ptr), value.len)};
}

ParquetValue ValueWriter::write(const parquet::FixedLenByteArray& value) {
  const std::string_view bytes(reinterpret_cast<const char*>(value.ptr), static_cast<std::size_t>(fixed_bytes_));
  switch (form_) {
    case Form::decimal:
      return write_decimal(value.ptr, fixed_bytes_);
    case Form::half:
      return write(half_of(static_cast<uint16_t>(value.ptr[0] | value.ptr[1] << 8)));
    case Form::uuid:
      text_.clear();
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text_ += '-';
        text_ += fmt::format("{:02x}", value.ptr[i]);
      }
      return string();
    default:
      return {FieldKind::string, bytes};
  }
}

namespace {

constexpr int64_t kBatch = 1024;
constexpr int kMaxNames = 10;

const parquet::schema::Node* find_node(const parquet::schema::GroupNode& group, const std::string& name) {
  if (const int at = group.FieldIndex(name); at >= 0) return group.field(at).get();
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return nullptr;
  const int at = group.FieldIndex(name.substr(0, dot));
  if (at < 0 || !group.field(at)->is_group()) return nullptr;
  return find_node(static_cast<const parquet::schema::GroupNode&>(*group.field(at)), name.substr(dot + 1));
}

template <class DType>
class TypedCursor final : public ColumnCursor {
 public:
  explicit TypedCursor(std::shared_ptr<parquet::ColumnReader> reader)
      : reader_(std::static_pointer_cast<parquet::TypedColumnReader<DType>>(std::move(reader))),
        descriptor_(*reader_->descr()),
        max_level_(descriptor_.max_definition_level()),
        writer_(descriptor_),
        levels_(static_cast<std::size_t>(kBatch)),
        values_(std::make_unique<typename DType::c_type[]>(static_cast<std::size_t>(kBatch))) {}

  ParquetValue next() override {
    if (at_ == count_) refill();
    const bool there = max_level_ == 0 || levels_[at_] == max_level_;
    ++at_;
    if (!there) return {FieldKind::null, {}};
    return writer_.write(values_[value_++]);
  }

 private:
  void refill() {
    at_ = value_ = count_ = 0;
    int64_t values = 0;
    while (count_ == 0) {
      if (!reader_->HasNext()) throw parquet::ParquetException("a column ends before its rows");
      count_ = static_cast<std::size_t>(reader_->ReadBatch(kBatch, levels_.data(), nullptr, values_.get(), &values));
    }
  }

  std::shared_ptr<parquet::TypedColumnReader<DType>> reader_;
  const parquet::ColumnDescriptor& descriptor_;
  const int16_t max_level_;
  ValueWriter writer_;
  std::vector<int16_t> levels_;
  std::unique_ptr<typename DType::c_type[]> values_;  // an array, because std::vector<bool> is packed
  std::size_t at_ = 0;
  std::size_t value_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

FoundColumn find_column(const parquet::SchemaDescriptor& schema, const std::string& name) {
  const parquet::schema::Node* const node = find_node(*schema.group_node(), name);
  if (node == nullptr) return {};
  FoundColumn found{.there = true};
  if (node->is_group()) return found;
  const int leaf = schema.ColumnIndex(*node);
  if (leaf < 0 || schema.Column(leaf)->max_repetition_level() > 0) return found;
  found.leaf = leaf;
  found.descriptor = schema.Column(leaf);
  return found;
}

bool is_text(const parquet::ColumnDescriptor& column) {
  const auto& logical = column.logical_type();
  return column.physical_type() == parquet::Type::BYTE_ARRAY && !(logical && logical->is_decimal());
}

bool is_utf8(const parquet::ColumnDescriptor& column) {
  const auto& logical = column.logical_type();
  return logical && (logical->is_string() || logical->is_JSON() || logical->is_enum());
}

std::string type_name(const FoundColumn& column) {
  if (column.descriptor == nullptr) return "a list or a struct";
  const auto& logical = column.descriptor->logical_type();
  if (logical && logical->is_valid() && !logical->is_none()) return logical->ToString();
  return parquet::TypeToString(column.descriptor->physical_type());
}

std::string column_names(const parquet::SchemaDescriptor& schema) {
  std::string names;
  const int count = schema.num_columns();
  for (int i = 0; i < count && i < kMaxNames; ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", schema.Column(i)->path()->ToDotString());
  if (count > kMaxNames) names += fmt::format(" and {} more", count - kMaxNames);
  return names;
}

std::unique_ptr<ColumnCursor> make_cursor(std::shared_ptr<parquet::ColumnReader> reader) {
  switch (reader->type()) {
    case parquet::Type::BOOLEAN:
      return std::make_unique<TypedCursor<parquet::BooleanType>>(std::move(reader));
    case parquet::Type::INT32:
      return std::make_unique<TypedCursor<parquet::Int32Type>>(std::move(reader));
    case parquet::Type::INT64:
      return std::make_unique<TypedCursor<parquet::Int64Type>>(std::move(reader));
    case parquet::Type::INT96:
      return std::make_unique<TypedCursor<parquet::Int96Type>>(std::move(reader));
    case parquet::Type::FLOAT:
      return std::make_unique<TypedCursor<parquet::FloatType>>(std::move(reader));
    case parquet::Type::DOUBLE:
      return std::make_unique<TypedCursor<parquet::DoubleType>>(std::move(reader));
    case parquet::Type::BYTE_ARRAY:
      return std::make_unique<TypedCursor<parquet::ByteArrayType>>(std::move(reader));
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return std::make_unique<TypedCursor<parquet::FLBAType>>(std::move(reader));
    default:
      throw parquet::ParquetException("a column of unknown type");
  }
}

}  // namespace refrain::corpus
