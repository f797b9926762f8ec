// The rows of a row group of a Parquet file, batch by batch.
//
// A row group is to the schedule what a file of lines is: one worker at a time decodes from it, and several row groups,
// of one file or of many, are decoded side by side. How much of it is in memory does not depend on its size, but on that
// of its pages.
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
  // Keeps references to all of them. Throws what open_parquet throws where there is no `file` yet.
  ParquetStream(const Input& input, const SourceOptions& options, const Context& context, MemoryBudget& budget,
                std::shared_ptr<const ParquetFile> file = nullptr, std::size_t group = 0);

  // Fills `builder`; false where the row group ends. A document that does not fit beside others begins the next batch.
  // Throws what ParquetRows throws.
  bool next(BatchBuilder& builder, LargeTurn& turn);

  // Bytes of the file that stand for the rows since the last call: all of them in the end, whatever was read of them.
  std::uint64_t take_consumed();

  const std::shared_ptr<const ParquetFile>& file() const { return file_; }
  bool last_group() const { return group_ + 1 >= file_->groups(); }

 private:
  void add(BatchBuilder& builder);
  std::string complaint() const;
  bool has_id() const;
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
  bool waits_ = false;            // row_ has been read, and is in no batch yet
  std::uint64_t consumed_ = 0;
};

}  // namespace refrain::corpus
