// Writes Parquet files again: collects what is to become of the rows of a row group, and has it copied so.
//
// Nothing is written before something changes: a file of which all rows are kept as they are can be copied as it is. Of
// a row group that waits, a byte a row is held, the ranges that are cut and the values that are added, but no text.
// So it is encoded after its turn, and several files side by side.
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
#include "corpus/rewrite/rewrite.h"
#include "corpus/rewrite/text.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

// What is to become of the rows of one row group, which come in order. Not thread-safe.
class ParquetGroup final : public ParquetEdits {
 public:
  // Keeps references to all of them.
  ParquetGroup(const Context& context, MemoryBudget& budget, const Annotations& annotations);

  // The next row, with the ranges that are cut, less `offset`.
  void add(RowFate fate, std::span<const ByteRange> cuts = {}, std::uint64_t offset = 0);
  // What the row that was added last gets; null for one that is left out here.
  void annotate(DocId document);
  // No more rows.
  void end() { fates = std::span<const RowFate>(rows_.data(), rows_.size()); }

  bool empty() const { return rows_.empty(); }
  bool changed() const { return changed_ || !columns_.empty(); }

  std::string_view next_text(std::string_view text, bool utf8) override;
  AddedValue added(std::size_t name, std::uint64_t row) override;
  void pause() override;

 private:
  // The values of a name. Of a text, where it is in `texts`: its length, and then its bytes.
  struct Column {
    explicit Column(MemoryBudget& budget);
    Array<std::uint8_t> kinds;  // of AddedValue
    Array<std::uint64_t> values;
    Array<char> texts;
  };

  const Context& context_;
  const Annotations& annotations_;
  bool changed_ = false;
  Array<RowFate> rows_;
  Array<ByteRange> cuts_;
  Array<std::uint64_t> cut_ends_;  // one a row that is cut
  std::size_t next_cut_ = 0;       // of those
  std::vector<Column> columns_;
  std::vector<AddedValue> values_;
  Array<char> text_;
  TextRewriter rewriter_;
};

// One file. write() is thread-safe.
class ParquetOutput {
 public:
  // Told the bytes that were written, or nothing where nothing has changed, and there is no file.
  using Done = std::function<void(std::optional<std::uint64_t>)>;
  // What a file that is being written takes, besides long pages.
  static constexpr std::uint64_t kOpenBytes = std::uint64_t{64} << 20;

  // Keeps references to options, context, budget and annotations.
  ParquetOutput(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                const Annotations& annotations, std::string from, std::string to, Done done);

  // All row groups, in any order; by this thread, or by another that is at it already. `last`: of the file, which is
  // closed then. Throws what copy_parquet throws.
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

  OneWriter writer_;
  std::map<std::size_t, Waiting> waiting_;

  std::unique_ptr<ParquetCopy> copy_;  // once something has changed; of whoever is writing, as all below
  std::size_t next_ = 0;
};

}  // namespace refrain::corpus
