// Reads an Arrow file row by row, and writes one like it.
#pragma once

#include <memory>
#include <string>

#include "base/budget.h"
#include "corpus/files/parquet_module.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Whether it begins like an Arrow file or stream.
bool is_arrow(const std::string& path);

std::shared_ptr<const ParquetFile> open_arrow(const std::string& path, const SourceOptions& options,
                                              MemoryBudget& budget);

std::unique_ptr<ParquetCopy> copy_arrow(const std::string& from, const std::string& to, const InputOptions& options,
                                        const Annotations& annotations, MemoryBudget& budget);

}  // namespace refrain::corpus
