// Copies a Parquet file, with rows left out, texts cut and columns added.
//
// Columns are copied as they are stored: values with their definition and repetition levels, page by page, whatever
// they mean. So values of unknown types are preserved, and at most one page of one column is in memory.
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
