// Arrow IPC files and streams (for example Feather version 2, or a dataset saved by Hugging Face): reads one batch by
// batch or row by row, and writes one like it.
//
// A file has a footer, and each of its batches is a row group to the rest of the corpus. A stream is one row group,
// because its batches may depend on the preceding ones.
#pragma once

#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/files/file.h"
#include "corpus/files/parquet_module.h"
#include "corpus/parquet/arrow_glue.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Returns Arrow's result, or throws its error, for guard() to catch.
template <class T>
T checked(arrow::Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().message());
  return std::move(result).ValueUnsafe();
}
inline void check(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

enum class ArrowKind : std::uint8_t { none, file, stream };
ArrowKind arrow_kind(const RandomFile& file);

// The indexes of the fields that a name leads through, from the top; empty if there is no such field. A dot enters
// structs, unless there is a field with the dot in its name.
std::vector<int> arrow_path(const arrow::Schema& schema, const std::string& name);

using ArrowDictionaries = std::vector<std::shared_ptr<arrow::ArrayData>>;

// A reader for one thread: its buffers come from a pool of its own.
class ArrowBatches {
 public:
  // `columns`: indexes of the top-level fields to read; empty: all. Throws as guard() does.
  ArrowBatches(std::shared_ptr<const RandomFile> file, MemoryBudget& budget, const std::vector<int>& columns = {});

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }  // of all fields
  std::size_t groups() const;
  // Moves to the first batch of a group.
  void seek(std::size_t group);
  // Null at the end of the group.
  std::shared_ptr<arrow::RecordBatch> next();

  // The number of rows before each group, and in total. Reads only the headers of the batches.
  std::vector<std::uint64_t> rows_before();
  // The compression of the first batch.
  arrow::Compression::type codec();

  template <class Action>
  auto guard(Action action) {
    return guarded_as(
        "Arrow", file_->path(), action, [this] { pool_.rethrow_refusal(); }, [this] { source_->rethrow_failure(); });
  }

 private:
  // The headers of the batches, at most the first `most`.
  struct Head {
    std::uint64_t rows;
    arrow::Compression::type codec;
  };
  std::vector<Head> heads(std::size_t most);

  const std::shared_ptr<const RandomFile> file_;
  Reservation small_;
  BudgetPool pool_;
  const ArrowKind kind_;
  std::shared_ptr<Source> source_;
  arrow::ipc::IpcReadOptions options_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> batches_;
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> stream_;
  int next_ = -1;            // for a file: the next batch
  ArrowDictionaries valid_;  // of the last batch; most files have the same in all
};

// Reads an Arrow file row by row, and writes one like it.

// Whether it begins like an Arrow file or stream.
bool is_arrow(const std::string& path);

std::shared_ptr<const ParquetFile> open_arrow(const std::string& path, const SourceOptions& options,
                                              MemoryBudget& budget);

std::unique_ptr<ParquetCopy> copy_arrow(const std::string& from, const std::string& to, const InputOptions& options,
                                        const Annotations& annotations, MemoryBudget& budget);

}  // namespace refrain::corpus
