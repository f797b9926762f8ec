// An Arrow file that is read row by row, and one that is written like it.
#pragma once

#include <memory>
#include <string>

#include "base/budget.h"
#include "corpus/files/parquet_module.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Whether it begins as Arrow files and streams do.
bool is_arrow(const std::string& path);

std::shared_ptr<const ParquetFile> open_arrow(const std::string& path, const InputOptions& options,
                                              MemoryBudget& budget);

std::unique_ptr<ParquetCopy> copy_arrow(const std::string& from, const std::string& to, const InputOptions& options,
                                        const Annotations& annotations, MemoryBudget& budget);

}  // namespace refrain::corpus
