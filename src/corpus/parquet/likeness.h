// The settings for writing a file like another one.
#pragma once

#include <arrow/util/key_value_metadata.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <memory>

#include "corpus/files/parquet_module.h"
#include "corpus/parquet/memory.h"

namespace refrain::corpus {

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

}  // namespace refrain::corpus
