// A Parquet file that is read row by row.
#pragma once

#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "corpus/files/parquet_module.h"
#include "corpus/parquet/arrow_glue.h"
#include "refrain/input.h"

namespace refrain::corpus {

// A reader for one thread: its pages come from a pool of its own. Exceptions of its members must pass through guard().
class ParquetReader {
 public:
  // `metadata`: that of the file, if it has been read already.
  ParquetReader(std::shared_ptr<const RandomFile> file, MemoryBudget& budget,
                std::shared_ptr<parquet::FileMetaData> metadata = nullptr);

  parquet::ParquetFileReader& parquet() { return *reader_; }
  template <class Action>
  auto guard(Action action);

 private:
  std::shared_ptr<const RandomFile> file_;
  Reservation small_;  // memory outside the pool: decoders, levels
  BudgetPool pool_;
  std::shared_ptr<Source> source_;
  std::unique_ptr<parquet::ParquetFileReader> reader_;
};

// Reserves the memory for the metadata of a file. Throws Error(bad_input) if the file does not end like a Parquet file.
Reservation reserve_metadata(const RandomFile& file, MemoryBudget& budget);

std::shared_ptr<const ParquetFile> open_file(const std::string& path, const SourceOptions& options,
                                             MemoryBudget& budget);

}  // namespace refrain::corpus

template <class Action>
auto refrain::corpus::ParquetReader::guard(Action action) {
  return guarded(
      file_->path(), action, [this] { pool_.rethrow_refusal(); }, [this] { source_->rethrow_failure(); });
}
