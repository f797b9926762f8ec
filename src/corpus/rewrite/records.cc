#include "corpus/rewrite/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "corpus/formats/csv.h"
#include "corpus/formats/piece.h"
#include "corpus/formats/raw_json.h"
#include "refrain/error.h"
#include "refrain/utf8.h"

namespace refrain::corpus {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::string_view kSeparators = " \t\r\n,";
constexpr std::size_t kMostHeld = std::size_t{64} << 10;

// Whether text[at] is inside a character rather than its first byte.
bool inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

}  // namespace

TextRewriter::TextRewriter(MemoryBudget& budget, Sink sink)
    : sink_(std::move(sink)), joined_(budget, "the rest of a long document") {}

template <class Fn>
bool TextRewriter::for_each_part(Fn fn) const {
  std::size_t at = 0;
  for (const ByteRange& range : cuts_.ranges) {
    const std::size_t begin = range.begin - cuts_.offset;
    if (begin > at && !fn(text_.substr(at, begin - at))) return false;
    at = range.end - cuts_.offset;
  }
  return at == text_.size() || fn(text_.substr(at));
}

std::uint64_t TextRewriter::cut(std::string_view text, const TextCuts& cuts) {
  std::uint64_t at = cuts.offset;
  for (const ByteRange& range : cuts.ranges) {
    if (range.begin < at || range.end < range.begin || range.end - cuts.offset > text.size())
      throw Error(Errc::invalid_argument,
                  fmt::format("cut: [{}, {}) of {} bytes after {}; cuts must be in order and inside the text",
                              range.begin, range.end, text.size(), cuts.offset));
    at = range.end;
  }
  text_ = text;
  cuts_ = cuts;
  first_part_ = last_part_ = {};
  std::uint64_t left = 0;
  for_each_part([&](std::string_view part) {
    if (first_part_.empty()) first_part_ = part;
    last_part_ = part;
    left += part.size();
    return true;
  });
  return text.size() - left;
}

void TextRewriter::write_plain() {
  for_each_part([&](std::string_view part) {
    sink_(part);
    return true;
  });
}

void TextRewriter::write_line(std::string_view ending, bool begins_file) {
  if (begins_file) {
    std::string start;
    for_each_part([&](std::string_view part) {
      start += part.substr(0, kByteOrderMark.size() - start.size());
      return start.size() < kByteOrderMark.size();
    });
    if (start == kByteOrderMark) sink_(kByteOrderMark);
  }
  write_plain();
  if (last_part_.empty() && ending.empty()) sink_("\n");
  if (last_part_.ends_with('\r') && !ending.starts_with('\r')) sink_("\r");
}

void TextRewriter::write_json(std::string_view raw) {
  // Where the bytes of a part are stored; nullopt if they begin or end inside a character.
  const auto stored = [&](RawJsonPosition& position, std::string_view part) -> std::optional<std::string_view> {
    const auto at = static_cast<std::size_t>(part.data() - text_.data());
    const std::optional<std::uint64_t> begin = position.advance_to(at);
    const std::optional<std::uint64_t> end = begin ? position.advance_to(at + part.size()) : std::nullopt;
    if (!end || inside_character(raw, *begin) || inside_character(raw, *end)) return std::nullopt;
    return raw.substr(*begin, *end - *begin);
  };
  RawJsonPosition checked(raw);
  if (!for_each_part([&](std::string_view part) { return stored(checked, part).has_value(); }))
    return write_checked(true);
  RawJsonPosition position(raw);
  for_each_part([&](std::string_view part) {
    sink_(*stored(position, part));
    return true;
  });
}

void TextRewriter::write_utf8() {
  write_checked(false);
}

// The remaining bytes of two characters may form a valid character, so all parts are joined first.
void TextRewriter::write_checked(bool json) {
  joined_.clear();
  for_each_part([&](std::string_view part) {
    joined_.append(std::span(part.data(), part.size()));
    return true;
  });
  const std::string_view text(joined_.data(), joined_.size());
  std::size_t written = 0;
  std::string escape;
  const auto replace = [&](std::size_t at, std::string_view by) {
    sink_(text.substr(written, at - written));
    sink_(by);
    written = at + 1;
  };
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint character = decode_utf8(text, at);
    if (!character.valid())
      replace(at, kReplacement);
    else if (json && is_json_special(text[at])) {
      escape.clear();
      append_json_escape(escape, text[at]);
      replace(at, escape);
    }
    at += character.size;
  }
  sink_(text.substr(written));
  joined_.resize(0);
}

void TextRewriter::write_field(std::string_view raw, bool last, bool alone) {
  const bool quoted = raw.starts_with('"');
  const bool needs_quotes =
      first_part_.empty() ? alone : first_part_.starts_with('"') || (last && last_part_.ends_with('\r'));
  if (!quoted && !needs_quotes) return write_plain();
  sink_("\"");
  for_each_part([&](std::string_view part) {
    for (std::size_t quote = part.find('"'); quote != std::string_view::npos; quote = part.find('"')) {
      sink_(part.substr(0, quote + 1));
      sink_("\"");
      part.remove_prefix(quote + 1);
    }
    sink_(part);
    return true;
  });
  sink_("\"");
}

void JsonList::begin_file() {
  held_.clear();
  lead_.clear();
  kept_ = dropped_ = inside_ = false;
}

void JsonList::between(std::string_view bytes) {
  if (inside_) bytes.remove_prefix(take_object(bytes));
  while (!bytes.empty()) {
    const std::size_t blank = std::min(bytes.find_first_not_of(kSeparators), bytes.size());
    // Very long white space is reduced to what is significant.
    if (held_.size() + blank > kMostHeld)
      held_ = held_.find(',') != std::string::npos || bytes.substr(0, blank).find(',') != std::string_view::npos ? ",\n"
                                                                                                                 : "\n";
    else
      held_ += bytes.substr(0, blank);
    bytes.remove_prefix(blank);
    if (bytes.empty()) return;
    std::size_t size = 1;
    if (bytes.front() == ']') {
      sink_(held_);
      held_.clear();
      sink_(bytes.substr(0, 1));
      kept_ = true;  // in the outer array
    } else {
      keep();
      if (bytes.front() == '{') {
        scanner_ = JsonScanner();
        size = take_object(bytes);
      } else {
        sink_(bytes.substr(0, 1));
        if (bytes.front() == '[') kept_ = dropped_ = false;
      }
    }
    bytes.remove_prefix(size);
  }
}

// Writes the bytes of a bad record, as far as `bytes` contain it, and returns how many.
std::size_t JsonList::take_object(std::string_view bytes) {
  const std::size_t end = scanner_.first_end(bytes);
  inside_ = end == std::string_view::npos;
  sink_(bytes.substr(0, end));
  return std::min(end, bytes.size());
}

void JsonList::keep() {
  sink_(dropped_ && !kept_ ? lead_ : held_);
  held_.clear();
  kept_ = true;
}

void JsonList::drop() {
  if (!kept_ && !dropped_) lead_ = held_;
  dropped_ = true;
  held_.clear();
}

void JsonList::end_file() {
  sink_(held_);
  held_.clear();
}

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
