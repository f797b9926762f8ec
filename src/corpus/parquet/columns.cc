#include "corpus/parquet/columns.h"

#include <fmt/format.h>
#include <parquet/exception.h>
#include <parquet/types.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "corpus/parquet/values.h"

namespace refrain::corpus {

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
