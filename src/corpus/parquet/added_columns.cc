#include "corpus/parquet/copy.h"

#include <arrow/type.h>
#include <fmt/format.h>
#include <parquet/types.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace refrain::corpus {

namespace {

AddedType type_of(const Annotations& annotations, std::size_t name) {
  return annotations.types.empty() ? AddedType::text : annotations.types[name];
}

// The value as type T, or nullopt if it is null or not convertible.
template <class T>
std::optional<T> as(const AddedValue& value) {
  if (const T* same = std::get_if<T>(&value)) return *same;
  if constexpr (std::is_same_v<T, double>)
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return std::nullopt;
}

template <class DType, class T>
void write_values(parquet::ColumnWriter& writer, std::size_t name, std::uint64_t rows, ParquetEdits& edits) {
  auto& typed = static_cast<parquet::TypedColumnWriter<DType>&>(writer);
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (!edits.fates.empty() && edits.fates[row] == RowFate::drop) continue;
    const std::optional<T> value = as<T>(edits.added(name, row));
    const auto definition = static_cast<int16_t>(value ? 1 : 0);
    const auto stored = static_cast<typename DType::c_type>(value.value_or(T{}));
    typed.WriteBatch(1, &definition, nullptr, &stored);
  }
}

// In a column of strings, values of any type are written as strings.
void write_texts(parquet::ColumnWriter& writer, std::size_t name, std::uint64_t rows, ParquetEdits& edits) {
  auto& typed = static_cast<parquet::ByteArrayWriter&>(writer);
  std::string made;
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (!edits.fates.empty() && edits.fates[row] == RowFate::drop) continue;
    const std::optional<std::string_view> text = added_text(edits.added(name, row), made);
    const auto definition = static_cast<int16_t>(text ? 1 : 0);
    const parquet::ByteArray stored(text.value_or(std::string_view()));
    typed.WriteBatch(1, &definition, nullptr, &stored);
  }
}

}  // namespace

std::optional<std::string_view> added_text(const AddedValue& value, std::string& made) {
  if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
  if (const auto* given = std::get_if<std::string_view>(&value)) return *given;
  if (const auto* truth = std::get_if<bool>(&value)) made = *truth ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) made = fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&value)) made = fmt::format("{}", *real);
  return made;
}

parquet::schema::NodePtr parquet_node(const Annotations& annotations, std::size_t name) {
  const auto make = [&](parquet::Type::type type, std::shared_ptr<const parquet::LogicalType> logical) {
    return parquet::schema::PrimitiveNode::Make(annotations.names[name], parquet::Repetition::OPTIONAL,
                                                std::move(logical), type);
  };
  switch (type_of(annotations, name)) {
    case AddedType::boolean:
      return make(parquet::Type::BOOLEAN, parquet::LogicalType::None());
    case AddedType::integer:
      return make(parquet::Type::INT64, parquet::LogicalType::None());
    case AddedType::real:
      return make(parquet::Type::DOUBLE, parquet::LogicalType::None());
    default:
      return make(parquet::Type::BYTE_ARRAY, parquet::LogicalType::String());
  }
}

std::shared_ptr<arrow::DataType> arrow_type(const Annotations& annotations, std::size_t name) {
  switch (type_of(annotations, name)) {
    case AddedType::boolean:
      return arrow::boolean();
    case AddedType::integer:
      return arrow::int64();
    case AddedType::real:
      return arrow::float64();
    default:
      return arrow::utf8();
  }
}

const char* spark_type(const Annotations& annotations, std::size_t name) {
  switch (type_of(annotations, name)) {
    case AddedType::boolean:
      return "boolean";
    case AddedType::integer:
      return "long";
    case AddedType::real:
      return "double";
    default:
      return "string";
  }
}

void write_added(parquet::ColumnWriter& writer, const Annotations& annotations, std::size_t name, std::uint64_t rows,
                 ParquetEdits& edits) {
  edits.pause();
  switch (type_of(annotations, name)) {
    case AddedType::boolean:
      return write_values<parquet::BooleanType, bool>(writer, name, rows, edits);
    case AddedType::integer:
      return write_values<parquet::Int64Type, std::int64_t>(writer, name, rows, edits);
    case AddedType::real:
      return write_values<parquet::DoubleType, double>(writer, name, rows, edits);
    default:
      return write_texts(writer, name, rows, edits);
  }
}

}  // namespace refrain::corpus
