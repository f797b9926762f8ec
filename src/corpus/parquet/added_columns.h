// The columns that annotations become.
#pragma once

#include <arrow/type_fwd.h>
#include <parquet/column_writer.h>
#include <parquet/schema.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "corpus/files/parquet_module.h"

namespace refrain::corpus {

parquet::schema::NodePtr parquet_node(const Annotations& annotations, std::size_t name);
std::shared_ptr<arrow::DataType> arrow_type(const Annotations& annotations, std::size_t name);
// The value as a string, for which `made` is the buffer if needed; nullopt for null.
std::optional<std::string_view> added_text(const AddedValue& value, std::string& made);
const char* spark_type(const Annotations& annotations, std::size_t name);

// Writes the values of all rows that are not dropped.
void write_added(parquet::ColumnWriter& writer, const Annotations& annotations, std::size_t name, std::uint64_t rows,
                 ParquetEdits& edits);

}  // namespace refrain::corpus
