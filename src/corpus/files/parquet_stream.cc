#include "corpus/files/parquet_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/threads.h"

namespace refrain::corpus {

namespace {

bool is_integer(std::string_view digits) {
  if (digits.starts_with('-')) digits.remove_prefix(1);
  return !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return '0' <= c && c <= '9'; });
}

}  // namespace

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
    if (bytes > builder.room_bytes() && bytes <= options_.max_doc_bytes) {
      if (builder.size() > 0) return true;
      turn.need(bytes);
      builder.reserve_text(bytes);
    }
    add(builder);
    waits_ = false;
  }
  return true;
}

void ParquetStream::add(BatchBuilder& builder) {
  const std::string_view text = row_.text.value;
  if (std::string what = complaint(); !what.empty()) return builder.add_bad(input_.path, row_number_, std::move(what));
  if (!text.empty()) std::memcpy(builder.room(), text.data(), text.size());
  if (options_.id_optional && !has_id())
    builder.add(text.size(), fmt::format("{}:{}", input_.path, row_number_));
  else
    builder.add(text.size(), row_.id.value);
  for (std::size_t i = 0; i < row_.fields.size(); ++i) builder.set_field(i, row_.fields[i].kind, row_.fields[i].value);
}

// Why the row is bad; empty if it is not.
std::string ParquetStream::complaint() const {
  if (row_.text.kind != FieldKind::string) return fmt::format("field '{}' is null", options_.text_name());
  if (row_.text.value.size() > options_.max_doc_bytes) return too_long_reason(options_.max_doc_bytes);
  if (options_.id_field.empty() || options_.id_optional || has_id()) return {};
  if (row_.id.kind == FieldKind::null) return fmt::format("field '{}' is null", options_.id_field);
  if (row_.id.kind != FieldKind::number)
    return fmt::format("field '{}' is neither a string nor a number", options_.id_field);
  return fmt::format("field '{}' is a number that is not an integer", options_.id_field);
}

bool ParquetStream::has_id() const {
  return row_.id.kind == FieldKind::string || (row_.id.kind == FieldKind::number && is_integer(row_.id.value));
}

}  // namespace refrain::corpus
