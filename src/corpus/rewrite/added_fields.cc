#include "corpus/rewrite/added_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "base/json.h"
#include "corpus/formats/csv.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

// Null and numbers that are not finite are empty.
std::string plain(const AddedValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using Value = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<Value, std::monostate>)
          return {};
        else if constexpr (std::is_same_v<Value, bool>)
          return v ? "true" : "false";
        else if constexpr (std::is_same_v<Value, double>)
          return std::isfinite(v) ? fmt::format("{}", v) : std::string();
        else
          return fmt::format("{}", v);
      },
      value);
}

std::string json(const AddedValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return json_text(*text);
  std::string written = plain(value);
  return written.empty() ? "null" : written;
}

void add_field(std::string& row, std::string_view content, char delimiter) {
  const char special[] = {delimiter, '"', '\n', '\r', '\0'};
  if (content.find_first_of(special) == std::string_view::npos) {
    row += content;
    return;
  }
  row += '"';
  for (const char c : content) row.append(c == '"' ? 2 : 1, c);
  row += '"';
}

}  // namespace

AddedFields::AddedFields(const Annotations& annotations) : annotations_(annotations), names_(annotations.names) {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i].find('.') != std::string::npos ||
        std::find(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(i), names_[i]) !=
            names_.begin() + static_cast<std::ptrdiff_t>(i))
      throw Error(Errc::invalid_argument,
                  fmt::format("field '{}': cannot be added; names must be unique and without dots", names_[i]));
}

void AddedFields::begin_file(const Input& input, const InputOptions& options) {
  path_ = input.path;
  options_ = &options;
  storage_ = input.format->storage;
  delimiter_ = input.delimiter;
  columns_ = 0;
  if (any() && storage_ == Storage::decoded)
    throw Error(Errc::invalid_argument, fmt::format("{}: '{}' cannot be added to a {}; use jsonl, csv, tsv or parquet",
                                                    path_, names_.front(), input.format->noun));
}

AddedFields::Insertion AddedFields::header(std::string_view bytes) {
  if (names_.empty() || columns_ > 0 || storage_ != Storage::field) return {};
  InputOptions wanted;
  wanted.text_field = options_->text_field;
  wanted.extra_fields = names_;
  CsvColumns columns;
  const CsvHeaderExtent rest = read_csv_header(bytes, delimiter_, path_, wanted, columns);
  if (columns.count == 0) return {};
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (columns.extra[i] != CsvColumns::kNoColumn) throw field_is_there(path_, names_[i]);
  columns_ = columns.count;
  added_.clear();
  for (const std::string& name : names_) {
    added_ += delimiter_;
    add_field(added_, name, delimiter_);
  }
  const std::string_view row = bytes.substr(rest.header, rest.begin - rest.header);
  return {rest.header + measure_csv_row(row, delimiter_).content_end, added_};
}

AddedFields::Insertion AddedFields::record(DocId document, std::string_view record) {
  values_.assign(names_.size(), {});
  annotations_.values(document, values_);
  added_.clear();
  if (storage_ == Storage::json) {
    const std::size_t brace = record.rfind('}');
    add_json(record, brace);
    return {brace, added_};
  }
  const CsvRow row = measure_csv_row(record, delimiter_);
  add_row(row.columns);
  return {row.content_end, added_};
}

void AddedFields::add_json(std::string_view record, std::size_t brace) {
  const std::size_t before = record.find_last_not_of(" \t\r\n", brace - 1);
  bool first = before == std::string_view::npos || record[before] == '{';
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!first) added_ += ',';
    first = false;
    added_ += json_text(names_[i]);
    added_ += ':';
    added_ += json(values_[i]);
  }
}

void AddedFields::add_row(std::size_t columns) {
  if (columns > columns_)
    throw Error(Errc::bad_input,
                fmt::format("{}: a row has {} columns, but the header has {}; fix it, so that columns can be added",
                            path_, columns, columns_));
  added_.append(columns_ - columns, delimiter_);
  for (const AddedValue& value : values_) {
    added_ += delimiter_;
    add_field(added_, plain(value), delimiter_);
  }
}

Error field_is_there(const std::string& path, const std::string& name) {
  return {Errc::invalid_argument, fmt::format("{}: field '{}' already exists; remove it first", path, name)};
}

}  // namespace refrain::corpus
