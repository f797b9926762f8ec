#include "corpus/parquet/copy.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/dictionary.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/type.h>
#include <arrow/util/base64.h>
#include <fmt/format.h>
#include <parquet/exception.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace refrain::corpus {

namespace {

constexpr const char* kArrowSchema = "ARROW:schema";
constexpr const char* kSparkSchema = "org.apache.spark.sql.parquet.row.metadata";

// The encoding of the values; UNKNOWN if it is the plain one.
parquet::Encoding::type special_encoding(const parquet::ColumnChunkMetaData& column) {
  for (const parquet::Encoding::type encoding : column.encodings())
    if (encoding == parquet::Encoding::DELTA_BINARY_PACKED || encoding == parquet::Encoding::DELTA_BYTE_ARRAY ||
        encoding == parquet::Encoding::DELTA_LENGTH_BYTE_ARRAY || encoding == parquet::Encoding::BYTE_STREAM_SPLIT)
      return encoding;
  return parquet::Encoding::UNKNOWN;
}

bool has_dictionary(const parquet::ColumnChunkMetaData& column) {
  const auto& encodings = column.encodings();
  return std::any_of(encodings.begin(), encodings.end(), [](parquet::Encoding::type encoding) {
    return encoding == parquet::Encoding::PLAIN_DICTIONARY || encoding == parquet::Encoding::RLE_DICTIONARY;
  });
}

bool has_int96(const parquet::SchemaDescriptor& schema) {
  for (int i = 0; i < schema.num_columns(); ++i)
    if (schema.Column(i)->physical_type() == parquet::Type::INT96) return true;
  return false;
}

arrow::Result<std::string> add_to_arrow_schema(const std::string& encoded, const Annotations& annotations) {
  const arrow::Result<std::string> decoded = arrow::util::base64_decode(encoded);
  ARROW_RETURN_NOT_OK(decoded.status());
  arrow::io::BufferReader reader(arrow::Buffer::FromString(*decoded));
  arrow::ipc::DictionaryMemo memo;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Schema> schema, arrow::ipc::ReadSchema(&reader, &memo));
  for (std::size_t i = 0; i < annotations.names.size(); ++i) {
    const auto field = arrow::field(annotations.names[i], arrow_type(annotations, i));
    ARROW_ASSIGN_OR_RAISE(schema, schema->AddField(schema->num_fields(), field));
  }
  ARROW_ASSIGN_OR_RAISE(const auto written, arrow::ipc::SerializeSchema(*schema));
  return arrow::util::base64_encode(std::string_view(*written));
}

// Spark's schema is JSON. As Spark writes it, the array of fields comes last.
arrow::Result<std::string> add_to_spark_schema(const std::string& json, const Annotations& annotations) {
  constexpr std::string_view kBegin = R"({"type":"struct","fields":[)";
  constexpr std::string_view kEnd = "]}";
  if (json.size() < kBegin.size() + kEnd.size() || !json.starts_with(kBegin) || !json.ends_with(kEnd))
    return arrow::Status::Invalid("not a schema of Spark");
  std::string made = json.substr(0, json.size() - kEnd.size());
  for (std::size_t i = 0; i < annotations.names.size(); ++i)
    made += fmt::format(R"({}{{"name":{},"type":"{}","nullable":true,"metadata":{{}}}})",
                        made.size() > kBegin.size() ? "," : "", json_text(annotations.names[i]),
                        spark_type(annotations, i));
  made += kEnd;
  return made;
}

}  // namespace

std::shared_ptr<parquet::WriterProperties> writer_properties(const parquet::FileMetaData& metadata, int text,
                                                             BudgetPool& pool) {
  parquet::WriterProperties::Builder builder;
  builder.memory_pool(&pool);
  builder.version(metadata.version());
  // The name of the writer tells readers in which time zone it wrote INT96 timestamps.
  if (has_int96(*metadata.schema())) builder.created_by(metadata.created_by());
  if (metadata.num_row_groups() == 0) return builder.build();
  const auto group = metadata.RowGroup(0);
  for (int i = 0; i < group->num_columns(); ++i) {
    const auto column = group->ColumnChunk(i);
    const std::shared_ptr<parquet::schema::ColumnPath> path = metadata.schema()->Column(i)->path();
    // The LZ4 framing of older versions of Hadoop can be read, but no longer written.
    const auto codec = column->compression();
    builder.compression(path, codec == parquet::Compression::LZ4_HADOOP ? parquet::Compression::LZ4 : codec);
    if (has_dictionary(*column)) {
      builder.enable_dictionary(path);
    } else {
      builder.disable_dictionary(path);
      if (const auto encoding = special_encoding(*column); encoding != parquet::Encoding::UNKNOWN)
        builder.encoding(path, encoding);
    }
    if (column->GetColumnIndexLocation())
      builder.enable_write_page_index(path);
    else
      builder.disable_write_page_index(path);
  }
  const auto sorting = group->sorting_columns();
  if (std::none_of(sorting.begin(), sorting.end(), [&](const auto& column) { return column.column_idx == text; }))
    builder.set_sorting_columns(sorting);
  return builder.build();
}

std::shared_ptr<parquet::schema::GroupNode> with_added(const parquet::SchemaDescriptor& schema,
                                                       const Annotations& annotations) {
  auto root = std::static_pointer_cast<parquet::schema::GroupNode>(schema.schema_root());
  if (annotations.names.empty()) return root;
  parquet::schema::NodeVector fields;
  for (int i = 0; i < root->field_count(); ++i) fields.push_back(root->field(i));
  for (std::size_t i = 0; i < annotations.names.size(); ++i) fields.push_back(parquet_node(annotations, i));
  return std::static_pointer_cast<parquet::schema::GroupNode>(
      parquet::schema::GroupNode::Make(root->name(), root->repetition(), fields, nullptr, root->field_id()));
}

std::shared_ptr<const arrow::KeyValueMetadata> with_added(std::shared_ptr<const arrow::KeyValueMetadata> values,
                                                          const Annotations& annotations) {
  if (!values || annotations.names.empty()) return values;
  const std::shared_ptr<arrow::KeyValueMetadata> made = values->Copy();
  const auto extend = [&](const char* key, auto add) {
    if (!values->Contains(key)) return;
    const arrow::Result<std::string> schema = add(*values->Get(key), annotations);
    // Without this schema readers use the types of Parquet. An outdated schema would give wrong types.
    PARQUET_THROW_NOT_OK(schema.ok() ? made->Set(key, *schema) : made->Delete(key));
  };
  extend(kArrowSchema, add_to_arrow_schema);
  extend(kSparkSchema, add_to_spark_schema);
  return made;
}

}  // namespace refrain::corpus
