// Writes a Parquet file again, with rows left out, texts cut and columns added.
//
// Columns are copied as they are stored: values with their levels of definition and repetition, page by page, whatever
// they mean. So a type that nobody here knows of survives, and no more than a page of one column is in memory.
#pragma once

#include <memory>
#include <string>

#include "base/budget.h"
#include "corpus/files/parquet_module.h"
#include "refrain/input.h"

namespace refrain::corpus {

std::unique_ptr<ParquetCopy> copy_file(const std::string& from, const std::string& to, const InputOptions& options,
                                       const Annotations& annotations, MemoryBudget& budget);

}  // namespace refrain::corpus
