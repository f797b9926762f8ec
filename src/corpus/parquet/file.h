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
#include "corpus/parquet/memory.h"
#include "corpus/parquet/streams.h"
#include "refrain/input.h"

namespace refrain::corpus {

// A reader for one thread: its pages come from a pool of its own. What its members throw goes through guard().
class Reader {
 public:
  // `metadata`: of the file, where somebody has read it already.
  Reader(std::shared_ptr<const RandomFile> file, MemoryBudget& budget,
         std::shared_ptr<parquet::FileMetaData> metadata = nullptr);

  parquet::ParquetFileReader& parquet() { return *reader_; }
  template <class Action>
  auto guard(Action action);

 private:
  std::shared_ptr<const RandomFile> file_;
  Reservation small_;  // what is not in the pool: decoders, levels
  BudgetPool pool_;
  std::shared_ptr<Source> source_;
  std::unique_ptr<parquet::ParquetFileReader> reader_;
};

// What the metadata of a file takes in memory. Error(bad_input) where the file does not end as Parquet does.
Reservation reserve_metadata(const RandomFile& file, MemoryBudget& budget);

std::shared_ptr<const ParquetFile> open_file(const std::string& path, const InputOptions& options,
                                             MemoryBudget& budget);

}  // namespace refrain::corpus

#include "corpus/parquet/guard.h"

template <class Action>
auto refrain::corpus::Reader::guard(Action action) {
  return guarded(
      file_->path(), action, [this] { pool_.rethrow_refusal(); }, [this] { source_->rethrow_failure(); });
}
