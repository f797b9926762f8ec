// Writes Parquet files again: collects what is to become of the rows of a row group, and has it copied so.
//
// Nothing is written before something changes: a file of which all rows are kept as they are can be copied as it is. Of
// a row group that waits, a byte a row is held, the ranges that are cut and the values that are added, but no text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/files/parquet_module.h"
#include "corpus/rewrite/rewrite.h"
#include "corpus/rewrite/text.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

// One file at a time, its rows in order. Not thread-safe.
class ParquetRewriter final : private ParquetEdits {
 public:
  // Keeps references to all of them.
  ParquetRewriter(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                  const Annotations& annotations);

  void begin_file(const std::string& from, const std::string& to);

  // The next row, with the ranges that are cut, less `offset`.
  void add(RowFate fate, std::span<const ByteRange> cuts = {}, std::uint64_t offset = 0);
  // What the row that was added last gets; null for one that is left out here.
  void annotate(DocId document);

  void end_group();
  // The bytes that were written, or nothing where nothing has changed, and there is no file.
  std::optional<std::uint64_t> end_file();

 private:
  // The values of a name. Of a text, where it is in `texts`: its length, and then its bytes.
  struct Column {
    explicit Column(MemoryBudget& budget);
    Array<std::uint8_t> kinds;  // of AddedValue
    Array<std::uint64_t> values;
    Array<char> texts;
  };

  std::string_view next_text(std::string_view text, bool utf8) override;
  AddedValue added(std::size_t name, std::uint64_t row) override;
  void pause() override;
  void start();

  const SourceOptions& options_;
  const Context& context_;
  MemoryBudget& budget_;
  const Annotations& annotations_;

  std::string from_;
  std::string to_;
  std::unique_ptr<ParquetCopy> copy_;  // once something has changed
  std::size_t group_ = 0;
  bool changed_ = false;  // in this row group

  Array<RowFate> rows_;
  Array<ByteRange> cuts_;
  Array<std::uint64_t> cut_ends_;  // one a row that is cut
  std::size_t next_cut_ = 0;       // of those
  std::vector<Column> columns_;
  std::vector<AddedValue> values_;
  Array<char> text_;
  TextRewriter rewriter_;
};

}  // namespace refrain::corpus
