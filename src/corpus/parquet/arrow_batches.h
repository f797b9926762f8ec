// An Arrow IPC file or stream (Feather, version 2, and what Hugging Face saves to disk are such), batch by batch.
//
// A file has a footer, and each of its batches is a row group to the rest of the corpus; a stream is one row group, since
// its batches may depend on what stands before them.
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
#include "base/files/random_file.h"
#include "corpus/parquet/guard.h"
#include "corpus/parquet/memory.h"
#include "corpus/parquet/streams.h"

namespace refrain::corpus {

// What Arrow returns, or its complaint thrown, for guard() to catch.
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

// Which fields a name leads through, from the top; empty where there is none. A dot walks into structs, unless there is a
// field with the dot in its name.
std::vector<int> arrow_path(const arrow::Schema& schema, const std::string& name);

// A reader for one thread: its buffers come from a pool of its own.
class ArrowBatches {
 public:
  // `columns`: indexes of top fields to read; empty: all. Throws as guard() does.
  ArrowBatches(std::shared_ptr<const RandomFile> file, MemoryBudget& budget, const std::vector<int>& columns = {});

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }  // of all fields
  std::size_t groups() const;
  // Goes to the first batch of a group.
  void seek(std::size_t group);
  // Null at the end of the group.
  std::shared_ptr<arrow::RecordBatch> next();

  // Rows before each group, and in all; reads no more than the heads of the batches.
  std::vector<std::uint64_t> rows_before();
  // What the first batch is packed with.
  arrow::Compression::type codec();

  template <class Action>
  auto guard(Action action) {
    return guarded_as(
        "Arrow", file_->path(), action, [this] { pool_.rethrow_refusal(); }, [this] { source_->rethrow_failure(); });
  }

 private:
  // The heads of all batches, up to `most`.
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
  int next_ = -1;  // of a file
};

}  // namespace refrain::corpus
