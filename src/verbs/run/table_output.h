// An output file that is a Parquet table.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "corpus/files/parquet_module.h"

namespace refrain::verbs::run {

// File has a function write(bytes).
template <class File>
class TableOutput {
 public:
  // `name` is for error messages.
  TableOutput(File file, const std::string& name, std::vector<corpus::TableColumn> columns, MemoryBudget& budget)
      : file_(std::move(file)),
        table_(corpus::make_parquet(
            name, std::move(columns), [this](std::string_view bytes) { file_.write(bytes); }, budget)) {}
  TableOutput(const TableOutput&) = delete;
  TableOutput& operator=(const TableOutput&) = delete;

  void write(const corpus::TableRows& rows) { table_->write(rows); }
  // Writes what is left, and returns the file, for the caller to close.
  File& finish() {
    table_->close();
    return file_;
  }

 private:
  File file_;
  const std::unique_ptr<corpus::ParquetTable> table_;
};

}  // namespace refrain::verbs::run
