// Copies a Parquet file: its settings, the columns that annotations become, and the copy itself.
#pragma once

#include <arrow/type_fwd.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/column_writer.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "corpus/files/parquet_module.h"
#include "corpus/parquet/arrow_glue.h"
#include "refrain/input.h"

namespace refrain::corpus {

// The columns that annotations become.

parquet::schema::NodePtr parquet_node(const Annotations& annotations, std::size_t name);
std::shared_ptr<arrow::DataType> arrow_type(const Annotations& annotations, std::size_t name);
// The value as a string, for which `made` is the buffer if needed; nullopt for null.
std::optional<std::string_view> added_text(const AddedValue& value, std::string& made);
const char* spark_type(const Annotations& annotations, std::size_t name);

// Writes the values of all rows that are not dropped.
void write_added(parquet::ColumnWriter& writer, const Annotations& annotations, std::size_t name, std::uint64_t rows,
                 ParquetEdits& edits);

// The settings for writing a file like another one.

// Codecs, dictionaries, encodings and page indexes are those of the first row group. The sort order is kept unless it
// includes the column `text`, which may change. The name of the writer is kept if it determines the meaning of values.
std::shared_ptr<parquet::WriterProperties> writer_properties(const parquet::FileMetaData& metadata, int text,
                                                             BudgetPool& pool);

// The schema followed by the annotations. Its nodes are transferred to the result.
std::shared_ptr<parquet::schema::GroupNode> with_added(const parquet::SchemaDescriptor& schema,
                                                       const Annotations& annotations);

// The key-value metadata of the file. If Arrow or Spark stores its own schema there, the annotations are added to it,
// too.
std::shared_ptr<const arrow::KeyValueMetadata> with_added(std::shared_ptr<const arrow::KeyValueMetadata> values,
                                                          const Annotations& annotations);

// Copies a Parquet file, with rows left out, texts cut and columns added.
//
// Columns are copied as they are stored: values with their definition and repetition levels, page by page, whatever
// they mean. So values of unknown types are preserved, and at most one page of one column is in memory.
std::unique_ptr<ParquetCopy> copy_file(const std::string& from, const std::string& to, const InputOptions& options,
                                       const Annotations& annotations, MemoryBudget& budget);

}  // namespace refrain::corpus
