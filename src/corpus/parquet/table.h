// Writes the tables of verbs as Parquet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "corpus/files/parquet_module.h"

namespace refrain::corpus {

// See make_parquet().
std::unique_ptr<ParquetTable> make_table(const std::string& name, std::vector<TableColumn> columns, ByteWriter write,
                                         MemoryBudget& budget);

}  // namespace refrain::corpus
