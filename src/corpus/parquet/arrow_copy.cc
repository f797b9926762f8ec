#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/builder.h>
#include <arrow/ipc/writer.h>
#include <arrow/scalar.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/parquet/arrow_file.h"
#include "corpus/parquet/copy.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kMostSlices = 1024;

// Copies batch by batch, and keeps the kind of file, schema, metadata and codec.
class ArrowCopy final : public ParquetCopy {
 public:
  ArrowCopy(const std::string& from, const std::string& to, const InputOptions& options, const Annotations& annotations,
            MemoryBudget& budget)
      : file_(std::make_shared<RandomFile>(from)),
        batches_(file_, budget),
        annotations_(annotations),
        pool_(budget, fmt::format("a batch of {}", to)),
        sink_(std::make_shared<Sink>(to)) {
    std::shared_ptr<arrow::Schema> schema = batches_.schema();
    for (const std::string& name : annotations.names)
      if (schema->GetFieldIndex(name) >= 0)
        throw Error(Errc::invalid_argument, fmt::format("{}: field '{}' already exists; remove it first", from, name));
    text_ = arrow_path(*schema, options.text_name());
    guard([&] {
      for (std::size_t i = 0; i < annotations.names.size(); ++i)
        schema = checked(
            schema->AddField(schema->num_fields(), arrow::field(annotations.names[i], arrow_type(annotations, i))));
      schema_ = schema;
      arrow::ipc::IpcWriteOptions written = arrow::ipc::IpcWriteOptions::Defaults();
      written.memory_pool = &pool_;
      written.use_threads = false;
      if (const arrow::Compression::type codec = batches_.codec(); codec != arrow::Compression::UNCOMPRESSED)
        written.codec = checked(arrow::util::Codec::Create(codec));
      writer_ = checked(arrow_kind(*file_) == ArrowKind::file ? arrow::ipc::MakeFileWriter(sink_, schema, written)
                                                              : arrow::ipc::MakeStreamWriter(sink_, schema, written));
    });
  }

  void write(std::size_t group, ParquetEdits& edits) override {
    batches_.seek(group);
    std::uint64_t first = 0;  // of the batch, in the group
    while (std::shared_ptr<arrow::RecordBatch> batch = batches_.next()) {
      edits.pause();
      const auto rows = static_cast<std::uint64_t>(batch->num_rows());
      guard([&] {
        if (!edits.fates.empty() && edits.fates.size() < first + rows)
          throw std::runtime_error("it changed while being read");
        write_batch(std::move(batch), first, edits);
      });
      first += rows;
    }
  }

  std::uint64_t close() override {
    guard([&] {
      check(writer_->Close());
      check(sink_->Close());
    });
    return sink_->bytes();
  }

 private:
  void write_batch(std::shared_ptr<arrow::RecordBatch> batch, std::uint64_t first, ParquetEdits& edits) {
    const auto rows = static_cast<std::size_t>(batch->num_rows());
    const auto fate = [&](std::size_t row) { return edits.fates.empty() ? RowFate::keep : edits.fates[first + row]; };
    bool cut = false;
    arrow::RecordBatchVector kept;
    std::vector<std::size_t> kept_rows;
    for (std::size_t row = 0; row < rows; ++row) {
      cut |= fate(row) == RowFate::cut;
      if (fate(row) != RowFate::drop) kept_rows.push_back(row);
    }
    if (kept_rows.empty()) return;
    if (cut) batch = with_cut_texts(*batch, first, edits);
    for (std::size_t i = 0; i < kept_rows.size();) {
      std::size_t end = i + 1;
      while (end < kept_rows.size() && kept_rows[end] == kept_rows[end - 1] + 1) ++end;
      kept.push_back(batch->Slice(static_cast<int64_t>(kept_rows[i]), static_cast<int64_t>(end - i)));
      i = end;
      // Many slices take more memory than their content.
      if (kept.size() == kMostSlices) kept = {checked(arrow::ConcatenateRecordBatches(kept, &pool_))};
    }
    batch = kept.size() == 1 ? kept.front() : checked(arrow::ConcatenateRecordBatches(kept, &pool_));
    for (std::size_t name = 0; name < annotations_.names.size(); ++name)
      batch = checked(batch->AddColumn(batch->num_columns(), annotations_.names[name],
                                       added_column(name, first, kept_rows, edits)));
    check(writer_->WriteRecordBatch(*arrow::RecordBatch::Make(schema_, batch->num_rows(), batch->columns())));
  }

  // The batch with the remaining parts of the texts to cut.
  std::shared_ptr<arrow::RecordBatch> with_cut_texts(const arrow::RecordBatch& batch, std::uint64_t first,
                                                     ParquetEdits& edits) {
    if (text_.size() != 1 || batch.column(text_.front())->type_id() == arrow::Type::DICTIONARY)
      throw Error(Errc::unsupported,
                  fmt::format("{}: the text is inside a struct or coded by a dictionary, where it cannot be cut; write "
                              "it as a column of strings first",
                              file_->path()));
    const std::shared_ptr<arrow::Array> texts = batch.column(text_.front());
    const std::shared_ptr<arrow::DataType> type = texts->type();
    const bool utf8 = type->id() == arrow::Type::STRING || type->id() == arrow::Type::LARGE_STRING ||
                      type->id() == arrow::Type::STRING_VIEW;
    const std::unique_ptr<arrow::ArrayBuilder> builder = checked(arrow::MakeBuilder(type, &pool_));
    for (int64_t row = 0; row < texts->length(); ++row) {
      const std::size_t at = first + static_cast<std::size_t>(row);
      const std::shared_ptr<arrow::Scalar> text = checked(texts->GetScalar(row));
      if (edits.fates[at] != RowFate::cut || !text->is_valid) {
        check(builder->AppendScalar(*text));
        continue;
      }
      const auto& whole = static_cast<const arrow::BaseBinaryScalar&>(*text);
      const std::string_view left = edits.next_text(whole.view(), utf8);
      check(builder->AppendScalar(*checked(arrow::MakeScalar(type, arrow::Buffer::FromString(std::string(left))))));
    }
    const std::shared_ptr<arrow::Array> made = checked(builder->Finish());
    return checked(batch.SetColumn(text_.front(), batch.schema()->field(text_.front()), made));
  }

  std::shared_ptr<arrow::Array> added_column(std::size_t name, std::uint64_t first,
                                             const std::vector<std::size_t>& rows, ParquetEdits& edits) {
    const std::shared_ptr<arrow::DataType> type = arrow_type(annotations_, name);
    const std::unique_ptr<arrow::ArrayBuilder> builder = checked(arrow::MakeBuilder(type, &pool_));
    std::string made;
    for (const std::size_t row : rows) {
      const AddedValue value = edits.added(name, first + row);
      const auto* const integer = std::get_if<std::int64_t>(&value);
      if (type->id() == arrow::Type::BOOL && std::holds_alternative<bool>(value))
        check(static_cast<arrow::BooleanBuilder&>(*builder).Append(std::get<bool>(value)));
      else if (type->id() == arrow::Type::INT64 && integer != nullptr)
        check(static_cast<arrow::Int64Builder&>(*builder).Append(*integer));
      else if (type->id() == arrow::Type::DOUBLE && (integer != nullptr || std::holds_alternative<double>(value)))
        check(static_cast<arrow::DoubleBuilder&>(*builder).Append(integer != nullptr ? static_cast<double>(*integer)
                                                                                     : std::get<double>(value)));
      else if (type->id() == arrow::Type::STRING && !std::holds_alternative<std::monostate>(value))
        check(static_cast<arrow::StringBuilder&>(*builder).Append(*added_text(value, made)));
      else
        check(builder->AppendNull());
    }
    return checked(builder->Finish());
  }

  template <class Action>
  void guard(Action action) {
    batches_.guard([&] {
      try {
        action();
      } catch (const Error&) {
        throw;
      } catch (const std::exception&) {
        pool_.rethrow_refusal();
        sink_->rethrow_failure();
        throw;
      }
    });
  }

  const std::shared_ptr<const RandomFile> file_;
  ArrowBatches batches_;
  const Annotations& annotations_;
  BudgetPool pool_;
  std::shared_ptr<Sink> sink_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  std::vector<int> text_;
};

}  // namespace

std::unique_ptr<ParquetCopy> copy_arrow(const std::string& from, const std::string& to, const InputOptions& options,
                                        const Annotations& annotations, MemoryBudget& budget) {
  return std::make_unique<ArrowCopy>(from, to, options, annotations, budget);
}

}  // namespace refrain::corpus
