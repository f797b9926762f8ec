// Reads the rows of a row group of a Parquet file, batch by batch.
//
// The schedule treats a row group like a file of lines: one worker at a time decodes from it, and several row groups,
// of one file or of many, are decoded side by side. The memory for a row group depends on the size of its pages, not
// on its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "corpus/files/options.h"
#include "corpus/files/parquet_module.h"
#include "corpus/files/records.h"
#include "corpus/files/walk.h"
#include "corpus/formats/batch_builder.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Not thread-safe.
class ParquetStream {
 public:
  // Keeps references to all arguments. If `file` is null, opens it and throws what open_parquet throws.
  ParquetStream(const Input& input, const SourceOptions& options, const Context& context, MemoryBudget& budget,
                std::shared_ptr<const ParquetFile> file = nullptr, std::size_t group = 0);

  // Fills `builder`; false at the end of the row group. A document that does not fit into the current batch begins
  // the next one. Throws what ParquetRows throws.
  bool next(BatchBuilder& builder, LargeTurn& turn);

  // The share of the file's bytes that corresponds to the rows read since the last call. All calls add up to the size
  // of the file, whichever columns were read.
  std::uint64_t take_consumed();

  const std::shared_ptr<const ParquetFile>& file() const { return file_; }
  bool last_group() const { return group_ + 1 >= file_->groups(); }

 private:
  void add(BatchBuilder& builder);
  std::string complaint() const;
  std::uint64_t bytes_before(std::uint64_t row) const;

  const Input& input_;
  const SourceOptions& options_;
  const Context& context_;
  std::shared_ptr<const ParquetFile> file_;
  const std::size_t group_;
  const std::uint64_t rows_in_file_;
  std::unique_ptr<ParquetRows> rows_;
  ParquetRow row_;
  std::uint64_t row_number_ = 0;  // of row_, in the file, from 1
  bool waits_ = false;            // row_ has been read but is not yet in a batch
  std::uint64_t consumed_ = 0;
};

}  // namespace refrain::corpus
