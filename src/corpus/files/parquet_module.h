// The interface to Parquet files for the rest of the corpus.
//
// The library that reads the format is large: loading it takes tens of milliseconds and tens of megabytes. So it is
// not linked into the programs. The classes declared here are implemented in src/corpus/parquet, which is built as a
// separate module and loaded when the first Parquet file is met. A build without that library has no such module and
// reports Error(unsupported) then.
//
// Memory comes from the budget: the buffers of the library as it requests them, the library itself once and
// permanently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "corpus/files/options.h"
#include "corpus/files/table.h"
#include "corpus/formats/batch.h"
#include "corpus/formats/edits.h"
#include "refrain/input.h"

namespace refrain::corpus {

// A string is given as it is, a number or boolean as in JSON, a point in time in ISO 8601. Valid until the next row.
struct ParquetValue {
  FieldKind kind = FieldKind::missing;
  std::string_view value;
};

struct ParquetRow {
  ParquetValue text;  // a string, or null
  ParquetValue id;    // missing if no id field is requested
  std::vector<ParquetValue> fields;
};

// The rows of one row group, in order. One page of each requested column is in memory at a time. Not thread-safe.
class ParquetRows {
 public:
  ParquetRows() = default;
  ParquetRows(const ParquetRows&) = delete;
  ParquetRows& operator=(const ParquetRows&) = delete;
  virtual ~ParquetRows() = default;
  // Returns false at the end. Throws Error: bad_input if the file is damaged, over_budget if a page does not fit.
  virtual bool next(ParquetRow& row) = 0;
};

// An open file. Threads may share one. The budget must outlive it.
class ParquetFile {
 public:
  ParquetFile() = default;
  ParquetFile(const ParquetFile&) = delete;
  ParquetFile& operator=(const ParquetFile&) = delete;
  virtual ~ParquetFile() = default;
  virtual std::size_t groups() const = 0;
  // The number of rows before a row group. For groups(), the number of rows in the file.
  virtual std::uint64_t rows_before(std::size_t group) const = 0;
  virtual std::unique_ptr<ParquetRows> read(std::size_t group) const = 0;
};

// The edit of one row.
enum class RowFate : std::uint8_t { keep, cut, drop };

// The edits to the rows of one row group.
class ParquetEdits {
 public:
  // One per row, or empty if every row is kept.
  std::span<const RowFate> fates;
  // The remaining text of the next row to cut; called once per such row, in order. `utf8`: the result must be UTF-8.
  // Valid until the next call.
  virtual std::string_view next_text(std::string_view text, bool utf8) = 0;
  // The value of the added field with number `name` for a row. Valid until the next call.
  virtual AddedValue added(std::size_t name, std::uint64_t row) = 0;
  // Called from time to time. May throw.
  virtual void pause() = 0;

 protected:
  ~ParquetEdits() = default;
};

// Writes a file like another one: with its schema followed by added columns, its metadata, its codecs and its row
// groups, except those that become empty. Unchanged columns are copied as they are stored.
class ParquetCopy {
 public:
  ParquetCopy() = default;
  ParquetCopy(const ParquetCopy&) = delete;
  ParquetCopy& operator=(const ParquetCopy&) = delete;
  virtual ~ParquetCopy() = default;
  // Must be called for every row group, in ascending order.
  virtual void write(std::size_t group, ParquetEdits& edits) = 0;
  // Does not sync to disk. Returns the size of the file in bytes.
  virtual std::uint64_t close() = 0;
};

// Writes rows into a new file. Row groups are small, and which rows are in one depends on the rows alone, so the bytes
// are the same for any number of threads and any memory. Not thread-safe.
class ParquetTable {
 public:
  ParquetTable() = default;
  ParquetTable(const ParquetTable&) = delete;
  ParquetTable& operator=(const ParquetTable&) = delete;
  virtual ~ParquetTable() = default;
  virtual void write(const TableRows& rows) = 0;
  // Must be called once, after all rows.
  virtual void close() = 0;
};

// Receives the bytes of a file in order. May throw.
using ByteWriter = std::function<void(std::string_view)>;

// The interface that the module exports. Use it through the functions below.
class ParquetModule {
 public:
  // Incremented with every change of this header and of SourceOptions.
  static constexpr std::uint32_t kVersion = 5;
  static constexpr const char* kEntry = "refrain_parquet_module";
  using Entry = const ParquetModule* (*)(std::uint32_t version);  // null if the module has another version

  virtual std::shared_ptr<const ParquetFile> open(const std::string& path, const SourceOptions& options,
                                                  MemoryBudget& budget) const = 0;
  virtual std::unique_ptr<ParquetCopy> copy(const std::string& from, const std::string& to, const InputOptions& options,
                                            const Annotations& annotations, MemoryBudget& budget) const = 0;
  virtual std::unique_ptr<ParquetTable> make(const std::string& name, std::vector<TableColumn> columns,
                                             ByteWriter write, MemoryBudget& budget) const = 0;

 protected:
  ~ParquetModule() = default;
};

// Opens `path` to read the fields that `options` names. Throws Error: unsupported if there is no module; not_found if
// the file cannot be opened; bad_input if it is damaged, encrypted, not Parquet, or lacks the columns;
// invalid_argument if a requested column holds more than one value per row.
std::shared_ptr<const ParquetFile> open_parquet(const std::string& path, const SourceOptions& options,
                                                MemoryBudget& budget);

// Starts to write `to` as an edited copy of `from`. Throws the same errors, what OutputFile throws, and
// invalid_argument if a field to be added already exists.
std::unique_ptr<ParquetCopy> copy_parquet(const std::string& from, const std::string& to, const InputOptions& options,
                                          const Annotations& annotations, MemoryBudget& budget);

// Loads the module before a run that will call make_parquet(). Throws Error: unsupported if there is none; over_budget
// if the memory is too small for it.
void prepare_parquet(MemoryBudget& budget);

// The most memory that writing a table takes, unless a row is very long.
inline constexpr std::uint64_t kTableBytes = std::uint64_t{8} << 20;

// Starts to write a table. `name` is for error messages. Throws the same errors, and what `write` throws.
std::unique_ptr<ParquetTable> make_parquet(const std::string& name, std::vector<TableColumn> columns, ByteWriter write,
                                           MemoryBudget& budget);

}  // namespace refrain::corpus
