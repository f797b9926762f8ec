// How a file is to be written so that it is like another one.
#pragma once

#include <arrow/util/key_value_metadata.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <memory>

#include "corpus/files/parquet_module.h"
#include "corpus/parquet/memory.h"

namespace refrain::corpus {

// Codecs, dictionaries, encodings and indexes of pages as in the first row group; the order of rows, unless they are
// sorted by the column `text`, which may change; and the name of the writer, where it tells what values mean.
std::shared_ptr<parquet::WriterProperties> writer_properties(const parquet::FileMetaData& metadata, int text,
                                                             BudgetPool& pool);

// The schema with the annotations behind it. Its nodes come to belong to what is made.
std::shared_ptr<parquet::schema::GroupNode> with_added(const parquet::SchemaDescriptor& schema,
                                                       const Annotations& annotations);

// The keys and values of the file. Where Arrow or Spark keeps a schema of its own there it gets the annotations too.
std::shared_ptr<const arrow::KeyValueMetadata> with_added(std::shared_ptr<const arrow::KeyValueMetadata> values,
                                                          const Annotations& annotations);

}  // namespace refrain::corpus
