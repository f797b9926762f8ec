#include "corpus/parquet/arrow_file.h"

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/parquet/arrow_batches.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

bool is_text_type(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
      return true;
    case arrow::Type::DICTIONARY:
      return is_text_type(*static_cast<const arrow::DictionaryType&>(type).value_type());
    default:
      return false;
  }
}

template <class Type>
std::string_view text_at(const arrow::Array& array, int64_t row) {
  return static_cast<const typename arrow::TypeTraits<Type>::ArrayType&>(array).GetView(row);
}

// One value, for which `made` is the buffer if needed.
ParquetValue value_at(const arrow::Array& array, int64_t row, std::string& made) {
  if (array.IsNull(row)) return {FieldKind::null, {}};
  const auto number = [&](auto value) {
    made = fmt::format("{}", value);
    return ParquetValue{FieldKind::number, made};
  };
  const auto real = [&](auto value) {
    return std::isfinite(value) ? number(value) : ParquetValue{FieldKind::null, {}};
  };
  const auto typed = [&]<class Type>(Type) {
    return static_cast<const typename arrow::TypeTraits<Type>::ArrayType&>(array).Value(row);
  };
  switch (array.type_id()) {
    case arrow::Type::NA:
      return {FieldKind::null, {}};
    case arrow::Type::STRING:
      return {FieldKind::string, text_at<arrow::StringType>(array, row)};
    case arrow::Type::LARGE_STRING:
      return {FieldKind::string, text_at<arrow::LargeStringType>(array, row)};
    case arrow::Type::STRING_VIEW:
      return {FieldKind::string, text_at<arrow::StringViewType>(array, row)};
    case arrow::Type::BINARY:
      return {FieldKind::string, text_at<arrow::BinaryType>(array, row)};
    case arrow::Type::LARGE_BINARY:
      return {FieldKind::string, text_at<arrow::LargeBinaryType>(array, row)};
    case arrow::Type::BINARY_VIEW:
      return {FieldKind::string, text_at<arrow::BinaryViewType>(array, row)};
    case arrow::Type::BOOL:
      return {FieldKind::boolean, typed(arrow::BooleanType()) ? "true" : "false"};
    case arrow::Type::INT8:
      return number(int{typed(arrow::Int8Type())});
    case arrow::Type::INT16:
      return number(typed(arrow::Int16Type()));
    case arrow::Type::INT32:
      return number(typed(arrow::Int32Type()));
    case arrow::Type::INT64:
      return number(typed(arrow::Int64Type()));
    case arrow::Type::UINT8:
      return number(unsigned{typed(arrow::UInt8Type())});
    case arrow::Type::UINT16:
      return number(typed(arrow::UInt16Type()));
    case arrow::Type::UINT32:
      return number(typed(arrow::UInt32Type()));
    case arrow::Type::UINT64:
      return number(typed(arrow::UInt64Type()));
    case arrow::Type::FLOAT:
      return real(typed(arrow::FloatType()));
    case arrow::Type::DOUBLE:
      return real(typed(arrow::DoubleType()));
    case arrow::Type::DICTIONARY: {
      const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
      return value_at(*coded.dictionary(), coded.GetValueIndex(row), made);
    }
    default:
      made = checked(array.GetScalar(row))->ToString();
      return {FieldKind::string, made};
  }
}

// The column that a path of fields leads to in a batch.
std::shared_ptr<arrow::Array> column_of(const arrow::RecordBatch& batch, const std::vector<int>& path,
                                        arrow::MemoryPool* pool) {
  std::shared_ptr<arrow::Array> array = batch.column(path.front());
  for (std::size_t i = 1; i < path.size(); ++i)
    array = checked(static_cast<const arrow::StructArray&>(*array).GetFlattenedField(path[i], pool));
  return array;
}

class ArrowRows final : public ParquetRows {
 public:
  // `paths`: of the text, of the id if there is one, of the other fields; an empty path: missing.
  ArrowRows(std::shared_ptr<const RandomFile> file, MemoryBudget& budget, std::size_t group,
            std::vector<std::vector<int>> paths, bool id)
      : pool_(budget, fmt::format("a batch of {}", file->path())),
        batches_(std::move(file), budget, top_fields(paths)),
        paths_(std::move(paths)),
        id_(id),
        made_(paths_.size()) {
    batches_.seek(group);
  }

  bool next(ParquetRow& row) override {
    while (!batch_ || at_ == batch_->num_rows()) {
      columns_.clear();
      batch_.reset();
      batch_ = batches_.next();
      if (!batch_) return false;
      at_ = 0;
      batches_.guard([&] {
        for (const std::vector<int>& path : paths_)
          columns_.push_back(path.empty() ? nullptr : column_of(*batch_, path, &pool_));
      });
    }
    batches_.guard([&] {
      std::size_t column = 0;
      const auto take = [&] {
        const std::size_t i = column++;
        return columns_[i] ? value_at(*columns_[i], at_, made_[i]) : ParquetValue{};
      };
      row.text = take();
      if (id_) row.id = take();
      row.fields.resize(columns_.size() - column);
      for (ParquetValue& field : row.fields) field = take();
    });
    ++at_;
    return true;
  }

 private:
  // The columns to read. Changes `paths` to be relative to them rather than to all columns.
  static std::vector<int> top_fields(std::vector<std::vector<int>>& paths) {
    std::map<int, int> places;
    for (const std::vector<int>& path : paths)
      if (!path.empty()) places.emplace(path.front(), 0);
    std::vector<int> fields;
    for (auto& [field, place] : places) {
      place = static_cast<int>(fields.size());
      fields.push_back(field);
    }
    for (std::vector<int>& path : paths)
      if (!path.empty()) path.front() = places[path.front()];
    return fields;
  }

  BudgetPool pool_;
  ArrowBatches batches_;
  const std::vector<std::vector<int>> paths_;
  const bool id_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::vector<std::shared_ptr<arrow::Array>> columns_;
  std::vector<std::string> made_;
  int64_t at_ = 0;
};

class ArrowFile final : public ParquetFile {
 public:
  ArrowFile(const std::string& path, const SourceOptions& options, MemoryBudget& budget)
      : budget_(budget), file_(std::make_shared<RandomFile>(path)) {
    ArrowBatches batches(file_, budget);
    const arrow::Schema& schema = *batches.schema();
    paths_.push_back(find(schema, options.text_name(), true));
    const arrow::DataType& type = *type_at(schema, paths_.front());
    if (!is_text_type(type))
      throw Error(Errc::bad_input, fmt::format("{}: column '{}' is {}, not a string; name another with `{}text_field`",
                                               path, options.text_name(), type.ToString(), options.prefix));
    id_ = !options.id_field.empty();
    if (id_) paths_.push_back(find(schema, options.id_field, !options.id_optional));
    for (const std::string& name : options.extra_fields) paths_.push_back(find(schema, name, false));
    rows_before_ = batches.rows_before();
  }

  std::size_t groups() const override { return rows_before_.size() - 1; }
  std::uint64_t rows_before(std::size_t group) const override { return rows_before_[group]; }
  std::unique_ptr<ParquetRows> read(std::size_t group) const override {
    return std::make_unique<ArrowRows>(file_, budget_, group, paths_, id_);
  }

 private:
  static std::shared_ptr<arrow::DataType> type_at(const arrow::Schema& schema, const std::vector<int>& path) {
    std::shared_ptr<arrow::DataType> type = schema.field(path.front())->type();
    for (std::size_t i = 1; i < path.size(); ++i) type = type->field(path[i])->type();
    return type;
  }

  std::vector<int> find(const arrow::Schema& schema, const std::string& name, bool must) const {
    std::vector<int> path = arrow_path(schema, name);
    if (path.empty() && must) {
      std::string names;
      for (const auto& field : schema.fields())
        names += fmt::format("{}'{}'", names.empty() ? "" : ", ", field->name());
      throw Error(Errc::bad_input, fmt::format("{}: no column '{}'; columns are {}", file_->path(), name, names));
    }
    if (path.empty() || !type_at(schema, path)->num_fields()) return path;
    throw Error(Errc::invalid_argument, fmt::format("{}: column '{}' is {}; name one with a single value per row",
                                                    file_->path(), name, type_at(schema, path)->ToString()));
  }

  MemoryBudget& budget_;
  const std::shared_ptr<const RandomFile> file_;
  std::vector<std::vector<int>> paths_;
  bool id_ = false;
  std::vector<std::uint64_t> rows_before_;
};

}  // namespace

bool is_arrow(const std::string& path) {
  return arrow_kind(RandomFile(path)) != ArrowKind::none;
}

std::shared_ptr<const ParquetFile> open_arrow(const std::string& path, const SourceOptions& options,
                                              MemoryBudget& budget) {
  return std::make_shared<ArrowFile>(path, options, budget);
}

}  // namespace refrain::corpus
