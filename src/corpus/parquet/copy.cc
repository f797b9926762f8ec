#include "corpus/parquet/copy.h"

#include <fmt/format.h>
#include <parquet/column_reader.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "corpus/parquet/columns.h"
#include "corpus/parquet/file.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr int64_t kCopied = 1024;
// The number of value bytes passed to the writer at a time. The writer can end a page only between such calls.
constexpr std::size_t kTurnBytes = std::size_t{256} << 10;
// The memory of a writer outside its pool: statistics, and the state of a codec. Brotli needs far more than other
// codecs.
constexpr std::uint64_t kWriterBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kBrotliBytes = std::uint64_t{24} << 20;

bool has_brotli(const parquet::FileMetaData& metadata) {
  if (metadata.num_row_groups() == 0) return false;
  const auto group = metadata.RowGroup(0);
  for (int i = 0; i < group->num_columns(); ++i)
    if (group->ColumnChunk(i)->compression() == parquet::Compression::BROTLI) return true;
  return false;
}

// Copies one column of a row group from its reader to its writer.
template <class DType>
class ColumnCopy {
  using Value = typename DType::c_type;

 public:
  ColumnCopy(parquet::ColumnReader& reader, parquet::ColumnWriter& writer)
      : reader_(static_cast<parquet::TypedColumnReader<DType>&>(reader)),
        writer_(static_cast<parquet::TypedColumnWriter<DType>&>(writer)),
        max_definition_(reader.descr()->max_definition_level()),
        max_repetition_(reader.descr()->max_repetition_level()),
        definitions_(static_cast<std::size_t>(kCopied)),
        repetitions_(static_cast<std::size_t>(kCopied)),
        values_(std::make_unique<Value[]>(static_cast<std::size_t>(kCopied))) {}

  // `text`: the column holds the texts that may be cut.
  void run(std::uint64_t rows, ParquetEdits& edits, bool text) {
    std::uint64_t begun = 0;  // rows that have begun
    while (reader_.HasNext()) {
      edits.pause();
      int64_t values = 0;
      const int64_t levels =
          reader_.ReadBatch(kCopied, definitions_.data(), repetitions_.data(), values_.get(), &values);
      std::size_t value = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(levels); ++i) {
        if (max_repetition_ == 0 || repetitions_[i] == 0) ++begun;
        if (begun == 0 || begun > rows) throw parquet::ParquetException("a column has more rows than its row group");
        const bool there = max_definition_ == 0 || definitions_[i] == max_definition_;
        const RowFate fate = edits.fates.empty() ? RowFate::keep : edits.fates[begun - 1];
        if (fate != RowFate::drop) take(i, there ? &values_[value] : nullptr, fate == RowFate::cut && text, edits);
        if (there) ++value;
      }
      flush();  // the next batch may be in another page, which replaces this one
    }
    if (begun != rows) throw parquet::ParquetException("a column has fewer rows than its row group");
  }

 private:
  // Values that were taken are moved to the beginning of the same arrays.
  void take(std::size_t level, const Value* value, bool cut, ParquetEdits& edits) {
    definitions_[levels_] = definitions_[level];
    repetitions_[levels_] = repetitions_[level];
    if constexpr (std::is_same_v<Value, parquet::ByteArray>) {
      if (value != nullptr && cut) {
        const int16_t definition = definitions_[levels_];
        flush();
        const std::string_view text(reinterpret_cast<const char*>(value->ptr), value->len);
        const std::string_view left = edits.next_text(text, is_utf8(*reader_.descr()));
        const parquet::ByteArray made(static_cast<uint32_t>(left.size()),
                                      reinterpret_cast<const uint8_t*>(left.data()));
        writer_.WriteBatch(1, &definition, nullptr, &made);
        return;
      }
      if (value != nullptr) bytes_ += value->len;
    }
    if (value != nullptr) values_[taken_++] = *value;
    ++levels_;
    if (bytes_ >= kTurnBytes && max_repetition_ == 0) flush();
  }

  void flush() {
    if (levels_ > 0)
      writer_.WriteBatch(static_cast<int64_t>(levels_), definitions_.data(), repetitions_.data(), values_.get());
    levels_ = taken_ = bytes_ = 0;
  }

  parquet::TypedColumnReader<DType>& reader_;
  parquet::TypedColumnWriter<DType>& writer_;
  const int16_t max_definition_;
  const int16_t max_repetition_;
  std::vector<int16_t> definitions_;
  std::vector<int16_t> repetitions_;
  std::unique_ptr<Value[]> values_;
  std::size_t levels_ = 0;  // taken and not written yet
  std::size_t taken_ = 0;   // values among them
  std::size_t bytes_ = 0;   // of these values
};

void copy_column(parquet::ColumnReader& reader, parquet::ColumnWriter& writer, std::uint64_t rows, ParquetEdits& edits,
                 bool text) {
  const auto run = [&]<class DType>(DType) { ColumnCopy<DType>(reader, writer).run(rows, edits, text); };
  switch (reader.type()) {
    case parquet::Type::BOOLEAN:
      return run(parquet::BooleanType());
    case parquet::Type::INT32:
      return run(parquet::Int32Type());
    case parquet::Type::INT64:
      return run(parquet::Int64Type());
    case parquet::Type::INT96:
      return run(parquet::Int96Type());
    case parquet::Type::FLOAT:
      return run(parquet::FloatType());
    case parquet::Type::DOUBLE:
      return run(parquet::DoubleType());
    case parquet::Type::BYTE_ARRAY:
      return run(parquet::ByteArrayType());
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return run(parquet::FLBAType());
    default:
      throw parquet::ParquetException("a column of unknown type");
  }
}

class Copy final : public ParquetCopy {
 public:
  Copy(const std::string& from, const std::string& to, const InputOptions& options, const Annotations& annotations,
       MemoryBudget& budget)
      : file_(std::make_shared<RandomFile>(from)),
        footers_(reserve_metadata(*file_, budget)),
        small_(budget.reserve(kWriterBytes, "writing Parquet")),
        reader_(file_, budget),
        annotations_(annotations),
        pool_(budget, fmt::format("a page of {}", to)),
        sink_(std::make_shared<Sink>(to)) {
    // Each of the two files has a footer of this kind in memory.
    footers_.resize(2 * footers_.bytes(), fmt::format("the footers of {}", from));
    guard([&] {
      const parquet::FileMetaData& metadata = *reader_.parquet().metadata();
      for (const std::string& name : annotations.names)
        if (metadata.schema()->group_node()->FieldIndex(name) >= 0)
          throw Error(Errc::invalid_argument,
                      fmt::format("{}: field '{}' already exists; remove it first", from, name));
      if (has_brotli(metadata)) small_.resize(kWriterBytes + kBrotliBytes, "writing Brotli-compressed Parquet");
      text_ = find_column(*metadata.schema(), options.text_name()).leaf;
      const auto properties = writer_properties(metadata, text_, pool_);
      const auto values = with_added(metadata.key_value_metadata(), annotations);
      writer_ =
          parquet::ParquetFileWriter::Open(sink_, with_added(*metadata.schema(), annotations), properties, values);
    });
  }

  void write(std::size_t group, ParquetEdits& edits) override {
    guard([&] {
      const auto from = reader_.parquet().RowGroup(static_cast<int>(group));
      const auto rows = static_cast<std::uint64_t>(from->metadata()->num_rows());
      if (!edits.fates.empty() && edits.fates.size() != rows)
        throw parquet::ParquetException("it changed while being read");
      if (rows == 0 || (!edits.fates.empty() && std::all_of(edits.fates.begin(), edits.fates.end(),
                                                            [](RowFate fate) { return fate == RowFate::drop; })))
        return;
      parquet::RowGroupWriter* const to = writer_->AppendRowGroup();
      const int columns = from->metadata()->num_columns();
      for (int i = 0; i < columns; ++i) {
        const std::shared_ptr<parquet::ColumnReader> reader = from->Column(i);
        parquet::ColumnWriter* const writer = to->NextColumn();
        copy_column(*reader, *writer, rows, edits, i == text_);
        writer->Close();
      }
      for (std::size_t name = 0; name < annotations_.names.size(); ++name) {
        parquet::ColumnWriter* const writer = to->NextColumn();
        write_added(*writer, annotations_, name, rows, edits);
        writer->Close();
      }
      to->Close();
    });
  }

  std::uint64_t close() override {
    guard([&] {
      writer_->Close();
      PARQUET_THROW_NOT_OK(sink_->Close());
    });
    return sink_->bytes();
  }

 private:
  template <class Action>
  void guard(Action action) {
    reader_.guard([&] {
      try {
        action();
      } catch (const parquet::ParquetException&) {
        pool_.rethrow_refusal();
        sink_->rethrow_failure();
        throw;
      }
    });
  }

  std::shared_ptr<const RandomFile> file_;
  Reservation footers_;
  Reservation small_;
  ParquetReader reader_;
  const Annotations& annotations_;
  BudgetPool pool_;
  std::shared_ptr<Sink> sink_;
  std::unique_ptr<parquet::ParquetFileWriter> writer_;
  int text_ = -1;
};

}  // namespace

std::unique_ptr<ParquetCopy> copy_file(const std::string& from, const std::string& to, const InputOptions& options,
                                       const Annotations& annotations, MemoryBudget& budget) {
  return std::make_unique<Copy>(from, to, options, annotations, budget);
}

}  // namespace refrain::corpus
