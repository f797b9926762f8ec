// Parquet files, as the rest of the corpus sees them.
//
// The library that knows the format is large: loading it takes tens of milliseconds and tens of megabytes. So it is not
// linked into the programs. What is declared here is implemented in src/parquet, which is built as a module of its own
// and loaded when the first Parquet file is met; a build without that library has no such module, and says so then.
//
// Memory comes from the budget: the buffers of the library as it asks for them, the library itself once and for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "corpus/formats/batch.h"
#include "corpus/formats/edits.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Of a text what it says, of numbers and truths what JSON would; points in time in ISO 8601. Valid until the next row.
struct ParquetValue {
  FieldKind kind = FieldKind::missing;
  std::string_view value;
};

struct ParquetRow {
  ParquetValue text;  // a string, or null
  ParquetValue id;    // missing where none was asked for
  std::vector<ParquetValue> fields;
};

// The rows of one row group, in order. One page of each column that is asked for is in memory at a time. Not
// thread-safe.
class ParquetRows {
 public:
  ParquetRows() = default;
  ParquetRows(const ParquetRows&) = delete;
  ParquetRows& operator=(const ParquetRows&) = delete;
  virtual ~ParquetRows() = default;
  // False at the end. Throws Error: bad_input where the file is damaged, over_budget where a page does not fit.
  virtual bool next(ParquetRow& row) = 0;
};

// An open file. Threads may share one, and the budget must outlive it.
class ParquetFile {
 public:
  ParquetFile() = default;
  ParquetFile(const ParquetFile&) = delete;
  ParquetFile& operator=(const ParquetFile&) = delete;
  virtual ~ParquetFile() = default;
  virtual std::size_t groups() const = 0;
  // Rows before a row group; groups() gives those of the file.
  virtual std::uint64_t rows_before(std::size_t group) const = 0;
  virtual std::unique_ptr<ParquetRows> read(std::size_t group) const = 0;
};

// What becomes of a row.
enum class RowFate : std::uint8_t { keep, cut, drop };

// What is to become of the rows of one row group.
class ParquetEdits {
 public:
  // One a row, or none at all where every row is kept.
  std::span<const RowFate> fates;
  // What is left of the text of the next of the rows that are cut. `utf8`: it must be UTF-8. Valid until the next call.
  virtual std::string_view next_text(std::string_view text, bool utf8) = 0;
  // Of the names that are added, one a row. Valid until the next call.
  virtual AddedValue added(std::size_t name, std::uint64_t row) = 0;
  // Called now and then; may throw.
  virtual void pause() = 0;

 protected:
  ~ParquetEdits() = default;
};

// A file that is written like another one: its schema, with what is added behind it, its metadata, its codecs and its
// row groups, of which those that come to be empty are left out. Columns are taken over as they are stored.
class ParquetCopy {
 public:
  ParquetCopy() = default;
  ParquetCopy(const ParquetCopy&) = delete;
  ParquetCopy& operator=(const ParquetCopy&) = delete;
  virtual ~ParquetCopy() = default;
  // In rising order, every one of them.
  virtual void write(std::size_t group, ParquetEdits& edits) = 0;
  // Not synced to the disk. Returns the bytes of the file.
  virtual std::uint64_t close() = 0;
};

// What the module gives. The functions below are the way to it.
class ParquetModule {
 public:
  // Raised with every change of this header, and of InputOptions.
  static constexpr std::uint32_t kVersion = 2;
  static constexpr const char* kEntry = "refrain_parquet_module";
  using Entry = const ParquetModule* (*)(std::uint32_t version);  // null where it has another version

  virtual std::shared_ptr<const ParquetFile> open(const std::string& path, const InputOptions& options,
                                                  MemoryBudget& budget) const = 0;
  virtual std::unique_ptr<ParquetCopy> copy(const std::string& from, const std::string& to, const InputOptions& options,
                                            const Annotations& annotations, MemoryBudget& budget) const = 0;

 protected:
  ~ParquetModule() = default;
};

// Opens `path` to read the fields that `options` names. Throws Error: unsupported where there is no module, not_found
// where the file cannot be opened, bad_input where it is damaged, encrypted, no Parquet at all, or has no such columns,
// invalid_argument where a column is asked for that holds more than one value a row.
std::shared_ptr<const ParquetFile> open_parquet(const std::string& path, const InputOptions& options,
                                                MemoryBudget& budget);

// Begins to write `to`, in the likeness of `from`. Throws the same and what OutputFile throws; invalid_argument where
// a name that is to be added is there.
std::unique_ptr<ParquetCopy> copy_parquet(const std::string& from, const std::string& to, const InputOptions& options,
                                          const Annotations& annotations, MemoryBudget& budget);

}  // namespace refrain::corpus
