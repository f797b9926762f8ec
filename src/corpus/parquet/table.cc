#include "corpus/parquet/table.h"

#include <arrow/array/builder_base.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/builder.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <fmt/format.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

#include "corpus/parquet/arrow_file.h"
#include "corpus/parquet/arrow_glue.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

// A row group ends with the row that reaches one of these.
constexpr std::int64_t kGroupRows = 32768;
constexpr std::size_t kGroupBytes = std::size_t{2} << 20;
// The memory of a writer outside its pool: statistics, and the state of a codec.
constexpr std::uint64_t kEncoderBytes = std::uint64_t{2} << 20;
// The memory that the footer takes for a column of a row group.
constexpr std::uint64_t kFooterBytes = 1024;

std::shared_ptr<arrow::Field> field_of(const TableColumn& column);

arrow::FieldVector fields_of(const std::vector<TableColumn>& columns) {
  arrow::FieldVector fields;
  for (const TableColumn& column : columns) fields.push_back(field_of(column));
  return fields;
}

std::shared_ptr<arrow::DataType> column_type(const TableColumn& column) {
  switch (column.type) {
    case ColumnType::flag:
      return arrow::boolean();
    case ColumnType::count:
      return arrow::int64();
    case ColumnType::hash:
      return arrow::uint64();
    case ColumnType::real:
      return arrow::float64();
    case ColumnType::ranges:
      return arrow::list(arrow::field(
          "element",
          arrow::struct_({arrow::field("begin", arrow::int64(), false), arrow::field("end", arrow::int64(), false)}),
          false));
    case ColumnType::group:
      return arrow::struct_(fields_of(column.members));
    default:
      return arrow::utf8();
  }
}

std::shared_ptr<arrow::Field> field_of(const TableColumn& column) {
  return arrow::field(column.name, column_type(column), column.optional);
}

std::size_t leaves(const TableColumn& column) {
  if (column.type == ColumnType::ranges) return 2;
  std::size_t count = column.members.empty() ? 1 : 0;
  for (const TableColumn& member : column.members) count += leaves(member);
  return count;
}

template <class Builder, class Value>
void append_to(arrow::ArrayBuilder& builder, const Value& value) {
  check(static_cast<Builder&>(builder).Append(value));
}

void append_ranges(arrow::ArrayBuilder& builder, TableCells& cells) {
  auto& list = static_cast<arrow::ListBuilder&>(builder);
  auto& range = static_cast<arrow::StructBuilder&>(*list.value_builder());
  check(list.Append());
  for (auto left = cells.value<std::uint64_t>(); left > 0; --left) {
    check(range.Append());
    for (const int end : {0, 1}) append_to<arrow::Int64Builder>(*range.child_builder(end), cells.value<std::int64_t>());
  }
}

// Moves a cell to the builder of its column.
void append_cell(arrow::ArrayBuilder& builder, const TableColumn& column, TableCells& cells) {
  if (!cells.next()) return check(builder.AppendNull());
  switch (column.type) {
    case ColumnType::flag:
      return append_to<arrow::BooleanBuilder>(builder, cells.value<bool>());
    case ColumnType::count:
      return append_to<arrow::Int64Builder>(builder, cells.value<std::int64_t>());
    case ColumnType::hash:
      return append_to<arrow::UInt64Builder>(builder, cells.value<std::uint64_t>());
    case ColumnType::real:
      return append_to<arrow::DoubleBuilder>(builder, cells.value<double>());
    case ColumnType::ranges:
      return append_ranges(builder, cells);
    case ColumnType::group: {
      auto& group = static_cast<arrow::StructBuilder&>(builder);
      check(group.Append());
      for (std::size_t i = 0; i < column.members.size(); ++i)
        append_cell(*group.child_builder(static_cast<int>(i)), column.members[i], cells);
      return;
    }
    default:
      return append_to<arrow::StringBuilder>(builder, cells.text());
  }
}

class Table final : public ParquetTable {
 public:
  Table(const std::string& name, std::vector<TableColumn> columns, ByteWriter write, MemoryBudget& budget)
      : name_(name),
        columns_(std::move(columns)),
        fixed_(budget.reserve(kEncoderBytes, "writing Parquet")),
        footer_(budget.reserve(0, "the footer of a table")),
        pool_(budget, fmt::format("rows of {}", name)),
        sink_(std::make_shared<Sink>(std::move(write))),
        schema_(arrow::schema(fields_of(columns_))) {
    for (const TableColumn& column : columns_) leaves_ += leaves(column);
    guard([&] {
      for (const auto& field : schema_->fields())
        builders_.push_back(checked(arrow::MakeBuilder(field->type(), &pool_)));
      parquet::WriterProperties::Builder properties;
      properties.memory_pool(&pool_)->compression(parquet::Compression::ZSTD);
      for (const TableColumn& column : columns_)
        if (column.distinct) properties.disable_dictionary(column.name);
      writer_ = checked(parquet::arrow::FileWriter::Open(*schema_, &pool_, sink_, properties.build()));
    });
  }

  void write(const TableRows& rows) override {
    guard([&] {
      for (TableCells cells(rows.bytes()); cells.left() > 0;) {
        const std::size_t before = cells.left();
        for (std::size_t i = 0; i < columns_.size(); ++i) append_cell(*builders_[i], columns_[i], cells);
        ++rows_;
        bytes_ += before - cells.left();
        if (rows_ >= kGroupRows || bytes_ >= kGroupBytes) write_group();
      }
    });
  }

  void close() override {
    guard([&] {
      if (rows_ > 0) write_group();
      check(writer_->Close());
    });
  }

 private:
  void write_group() {
    footer_.resize(footer_.bytes() + leaves_ * kFooterBytes, fmt::format("the footer of {}", name_));
    arrow::ArrayVector arrays;
    for (const auto& builder : builders_) arrays.push_back(checked(builder->Finish()));
    check(writer_->WriteTable(*arrow::Table::Make(schema_, arrays, rows_), rows_));
    rows_ = 0;
    bytes_ = 0;
  }

  template <class Action>
  void guard(Action action) {
    try {
      action();
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      pool_.rethrow_refusal();
      sink_->rethrow_failure();
      throw Error(Errc::unsupported,
                  fmt::format("{}: cannot be written as Parquet: {}; remove `tables`", name_, error.what()));
    }
  }

  const std::string name_;
  const std::vector<TableColumn> columns_;
  const Reservation fixed_;
  Reservation footer_;
  BudgetPool pool_;
  std::shared_ptr<Sink> sink_;
  const std::shared_ptr<arrow::Schema> schema_;
  std::size_t leaves_ = 0;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  std::int64_t rows_ = 0;  // in the builders
  std::size_t bytes_ = 0;  // of their cells
};

}  // namespace

std::unique_ptr<ParquetTable> make_table(const std::string& name, std::vector<TableColumn> columns, ByteWriter write,
                                         MemoryBudget& budget) {
  return std::make_unique<Table>(name, std::move(columns), std::move(write), budget);
}

}  // namespace refrain::corpus
