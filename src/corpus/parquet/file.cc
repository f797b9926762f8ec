#include "corpus/parquet/file.h"

#include <fmt/format.h>
#include <parquet/properties.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "corpus/parquet/columns.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

// The number of bytes of a column that are read from disk at a time.
constexpr int64_t kStreamBytes = int64_t{128} << 10;
constexpr std::uint64_t kReaderBytes = std::uint64_t{512} << 10;
// The memory for the parsed footer, per byte of the footer.
constexpr std::uint64_t kMetadataFactor = 12;

parquet::ReaderProperties properties(BudgetPool& pool) {
  parquet::ReaderProperties made(&pool);
  made.enable_buffered_stream();
  made.set_buffer_size(kStreamBytes);
  return made;
}

class Rows final : public ParquetRows {
 public:
  Rows(std::shared_ptr<const RandomFile> file, MemoryBudget& budget, std::shared_ptr<parquet::FileMetaData> metadata,
       std::size_t group, const std::vector<int>& leaves, bool id)
      : reader_(std::move(file), budget, std::move(metadata)), budget_(budget), id_(id) {
    reader_.guard([&] {
      const auto rows = reader_.parquet().RowGroup(static_cast<int>(group));
      left_ = static_cast<std::uint64_t>(rows->metadata()->num_rows());
      for (const int leaf : leaves) {
        columns_.push_back(leaf < 0 ? nullptr : make_cursor(rows->Column(leaf)));
        if (leaf < 0) continue;
        const auto chunk = rows->metadata()->ColumnChunk(leaf);
        all_bytes_ += static_cast<std::uint64_t>(std::max<int64_t>(chunk->total_compressed_size(), 0)) +
                      static_cast<std::uint64_t>(std::max<int64_t>(chunk->total_uncompressed_size(), 0));
      }
    });
  }

  bool next(ParquetRow& row) override {
    if (left_ == 0) return false;
    --left_;
    const std::uint64_t before = budget_.set_aside() + budget_.reserved();
    try {
      read(row);
    } catch (const Error& error) {
      if (error.code() != Errc::over_budget) throw;
      // The message counts one page, compressed or not. The maximum is known, too.
      throw Error(error.code(), fmt::format("{}; {} is enough; or write the file with smaller pages", error.what(),
                                            human_bytes(before + all_bytes_)));
    }
    return true;
  }

 private:
  void read(ParquetRow& row) {
    reader_.guard([&] {
      std::size_t column = 0;
      row.text = columns_[column++]->next();
      if (id_ && columns_[column]) row.id = columns_[column]->next();
      column += id_ ? 1 : 0;
      row.fields.resize(columns_.size() - column);
      for (ParquetValue& field : row.fields) {
        ColumnCursor* const cursor = columns_[column++].get();
        field = cursor == nullptr ? ParquetValue{} : cursor->next();
      }
    });
  }

  ParquetReader reader_;  // first, because the columns read from it
  std::vector<std::unique_ptr<ColumnCursor>> columns_;
  const MemoryBudget& budget_;
  bool id_;
  std::uint64_t left_ = 0;
  std::uint64_t all_bytes_ = 0;  // of the columns, compressed and uncompressed
};

class File final : public ParquetFile {
 public:
  File(const std::string& path, const SourceOptions& options, MemoryBudget& budget)
      : budget_(budget),
        file_(std::make_shared<RandomFile>(path)),
        reservation_(reserve_metadata(*file_, budget)),
        reader_(file_, budget),
        metadata_(reader_.parquet().metadata()) {
    reader_.guard([&] {
      for (int i = 0; i < metadata_->num_row_groups(); ++i)
        rows_before_.push_back(rows_before_.back() + static_cast<std::uint64_t>(metadata_->RowGroup(i)->num_rows()));
    });
    leaves_.push_back(find(options.text_name(), true));
    if (!is_text(*metadata_->schema()->Column(leaves_.front())))
      throw Error(Errc::bad_input,
                  fmt::format("{}: column '{}' is {}, not a string; name another with `{}text_field`", path,
                              options.text_name(), type_name(find_column(*metadata_->schema(), options.text_name())),
                              options.prefix));
    id_ = !options.id_field.empty();
    if (id_) leaves_.push_back(find(options.id_field, !options.id_optional));
    for (const std::string& name : options.extra_fields) leaves_.push_back(find(name, false));
  }

  std::size_t groups() const override { return static_cast<std::size_t>(metadata_->num_row_groups()); }
  std::uint64_t rows_before(std::size_t group) const override { return rows_before_[group]; }
  std::unique_ptr<ParquetRows> read(std::size_t group) const override {
    return std::make_unique<Rows>(file_, budget_, metadata_, group, leaves_, id_);
  }

 private:
  int find(const std::string& name, bool must) const {
    const FoundColumn found = find_column(*metadata_->schema(), name);
    if (!found.there && must)
      throw Error(Errc::bad_input, fmt::format("{}: no column '{}'; columns are {}", file_->path(), name,
                                               column_names(*metadata_->schema())));
    if (found.there && found.leaf < 0)
      throw Error(Errc::invalid_argument, fmt::format("{}: column '{}' is {}; name one with a single value per row",
                                                      file_->path(), name, type_name(found)));
    return found.leaf;
  }

  MemoryBudget& budget_;
  std::shared_ptr<const RandomFile> file_;
  Reservation reservation_;
  ParquetReader reader_;  // the metadata may refer to it
  std::shared_ptr<parquet::FileMetaData> metadata_;
  std::vector<std::uint64_t> rows_before_ = {0};
  std::vector<int> leaves_;  // of the text, of the id if there is one, of the other fields; -1: missing
  bool id_ = false;
};

}  // namespace

ParquetReader::ParquetReader(std::shared_ptr<const RandomFile> file, MemoryBudget& budget,
                             std::shared_ptr<parquet::FileMetaData> metadata)
    : file_(std::move(file)),
      small_(budget.reserve(kReaderBytes, "reading Parquet")),
      pool_(budget, fmt::format("a page of {}", file_->path())),
      source_(std::make_shared<Source>(file_, &pool_)) {
  guard([&] { reader_ = parquet::ParquetFileReader::Open(source_, properties(pool_), std::move(metadata)); });
}

Reservation reserve_metadata(const RandomFile& file, MemoryBudget& budget) {
  const auto bad = [&](const char* what) { return Error(Errc::bad_input, fmt::format("{}: {}", file.path(), what)); };
  constexpr std::size_t kTail = 8;
  char tail[kTail];
  if (file.size() < 12 || file.read_up_to(file.size() - kTail, {tail, kTail}) != kTail)
    throw bad("not a Parquet file: too short; is it compressed or truncated?");
  const std::string_view magic(tail + 4, 4);
  if (magic == "PARE") throw bad("encrypted Parquet is not supported; decrypt it first");
  if (magic != "PAR1") throw bad("not a Parquet file: no footer; is it compressed or truncated?");
  std::uint32_t size = 0;
  std::memcpy(&size, tail, sizeof size);
  if (size > file.size() - kTail)
    throw bad("damaged Parquet file: the footer is longer than the file; create it again");
  return budget.reserve(size * kMetadataFactor, fmt::format("the footer of {}", file.path()));
}

std::shared_ptr<const ParquetFile> open_file(const std::string& path, const SourceOptions& options,
                                             MemoryBudget& budget) {
  return std::make_shared<File>(path, options, budget);
}

}  // namespace refrain::corpus
