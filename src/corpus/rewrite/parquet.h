// Rewrites Parquet files: collects the edits to the rows of a row group, and passes them to the Parquet module.
//
// Nothing is written before the first change, because a file whose rows are all kept unchanged can be copied. A
// waiting row group holds one byte per row, the ranges to cut and the values to add, but no text. So it is encoded
// after its turn, and several files can be encoded in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/files/parquet_module.h"
#include "corpus/rewrite/one_writer.h"
#include "corpus/rewrite/records.h"
#include "corpus/rewrite/rewrite.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

// The edits to the rows of one row group, which must be added in order. Not thread-safe.
class ParquetGroup final : public ParquetEdits {
 public:
  // Keeps references to all arguments.
  ParquetGroup(const Context& context, MemoryBudget& budget, const Annotations& annotations);

  // Adds the next row, with the ranges to cut, from which `offset` is subtracted.
  void add(RowFate fate, std::span<const ByteRange> cuts = {}, std::uint64_t offset = 0);
  // Gets the added values of the row added last. Without this call they are null.
  void annotate(DocId document);
  // Must be called after the last row.
  void end() { fates = std::span<const RowFate>(rows_.data(), rows_.size()); }

  bool empty() const { return rows_.empty(); }
  bool changed() const { return changed_ || !columns_.empty(); }

  std::string_view next_text(std::string_view text, bool utf8) override;
  AddedValue added(std::size_t name, std::uint64_t row) override;
  void pause() override;

 private:
  // The values of one name. The value of a string is its offset in `texts`, where its length and its bytes are stored.
  struct Column {
    explicit Column(MemoryBudget& budget);
    Array<std::uint8_t> kinds;  // index of the alternative in AddedValue
    Array<std::uint64_t> values;
    Array<char> texts;
  };

  const Context& context_;
  const Annotations& annotations_;
  bool changed_ = false;
  Array<RowFate> rows_;
  Array<ByteRange> cuts_;
  Array<std::uint64_t> cut_ends_;  // one per row to cut
  std::size_t next_cut_ = 0;       // index in cut_ends_
  std::vector<Column> columns_;
  std::vector<AddedValue> values_;
  Array<char> text_;
  TextRewriter rewriter_;
};

// One file. write() is thread-safe.
class ParquetOutput {
 public:
  // Called with the number of bytes written, or with nullopt if nothing has changed and no file was written.
  using Done = std::function<void(std::optional<std::uint64_t>)>;
  // The memory for a file that is being written, besides long pages.
  static constexpr std::uint64_t kOpenBytes = std::uint64_t{64} << 20;

  // Keeps references to options, context, budget and annotations.
  ParquetOutput(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                const Annotations& annotations, std::string from, std::string to, Done done);

  // Must be called for all row groups, in any order. The group is written by this thread, or by another one that is
  // already writing. `last`: the file is closed after this group. Throws what copy_parquet throws.
  void write(std::size_t number, std::unique_ptr<ParquetGroup> group, bool last);

 private:
  static constexpr std::size_t kMostWaiting = 8;
  struct Waiting {
    std::unique_ptr<ParquetGroup> group;
    bool last = false;
  };

  void write_waiting(std::unique_lock<std::mutex>& lock);
  void write_next(Waiting& waiting);

  const SourceOptions& options_;
  const Context& context_;
  MemoryBudget& budget_;
  const Annotations& annotations_;
  const std::string from_;
  const std::string to_;
  const Done done_;

  SingleWriter writer_;
  std::map<std::size_t, Waiting> waiting_;

  std::unique_ptr<ParquetCopy> copy_;  // set after the first change; like next_, used only by the writing thread
  std::size_t next_ = 0;
};

}  // namespace refrain::corpus
