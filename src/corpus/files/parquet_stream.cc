#include "corpus/files/parquet_stream.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "base/threads.h"

namespace refrain::corpus {

ParquetStream::ParquetStream(const Input& input, const SourceOptions& options, const Context& context,
                             MemoryBudget& budget, std::shared_ptr<const ParquetFile> file, std::size_t group)
    : input_(input),
      options_(options),
      context_(context),
      file_(file ? std::move(file) : open_parquet(source_of(input, options), options, budget)),
      group_(group),
      rows_in_file_(file_->rows_before(file_->groups())),
      row_number_(file_->rows_before(group)),
      consumed_(rows_in_file_ == 0 && group == 0 ? 0 : bytes_before(row_number_)) {}

std::uint64_t ParquetStream::bytes_before(std::uint64_t row) const {
  if (row >= rows_in_file_) return input_.size;
  return static_cast<std::uint64_t>(static_cast<double>(input_.size) *
                                    (static_cast<double>(row) / static_cast<double>(rows_in_file_)));
}

std::uint64_t ParquetStream::take_consumed() {
  const std::uint64_t now = bytes_before(row_number_ - (waits_ ? 1 : 0));
  return now - std::exchange(consumed_, now);
}

bool ParquetStream::next(BatchBuilder& builder, LargeTurn& turn) {
  throw_if_stopped(context_);
  if (group_ >= file_->groups()) return false;
  if (!rows_) rows_ = file_->read(group_);
  while (!builder.full()) {
    if (!waits_) {
      if (!rows_->next(row_)) {
        rows_.reset();
        return false;
      }
      ++row_number_;
      waits_ = true;
    }
    const std::size_t bytes = row_.text.value.size();
    if (bytes <= options_.max_doc_bytes && !make_room(builder, bytes, turn)) return true;
    add(builder);
    waits_ = false;
  }
  return true;
}

void ParquetStream::add(BatchBuilder& builder) {
  const std::string_view text = row_.text.value;
  if (std::string what = complaint(); !what.empty()) return builder.add_bad(input_.path, row_number_, std::move(what));
  if (!text.empty()) std::memcpy(builder.room(), text.data(), text.size());
  if (options_.id_optional && !is_id(row_.id.kind, row_.id.value))
    builder.add(text.size(), fmt::format("{}:{}", input_.path, row_number_));
  else
    builder.add(text.size(), row_.id.value);
  for (std::size_t i = 0; i < row_.fields.size(); ++i) builder.set_field(i, row_.fields[i].kind, row_.fields[i].value);
}

// Why the row is bad; empty if it is not.
std::string ParquetStream::complaint() const {
  if (row_.text.kind != FieldKind::string) return fmt::format("field '{}' is null", options_.text_name());
  if (row_.text.value.size() > options_.max_doc_bytes) return too_long_reason(options_.max_doc_bytes);
  if (options_.id_field.empty() || options_.id_optional || is_id(row_.id.kind, row_.id.value)) return {};
  if (row_.id.kind == FieldKind::null) return fmt::format("field '{}' is null", options_.id_field);
  return no_id(options_.id_field, row_.id.kind);
}

}  // namespace refrain::corpus
