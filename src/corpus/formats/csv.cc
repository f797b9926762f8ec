#include "corpus/formats/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "corpus/formats/piece.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

// One field. Its content is written to `out` unless that is null, and is never longer than its stored form.
struct Field {
  const char* end;                    // after the delimiter or the line break that ends it
  const char* content_end = nullptr;  // before the delimiter or the line break
  std::size_t size = 0;               // bytes written
  bool last = false;                  // the last field of its record
  bool quoted = false;
  bool unterminated = false;  // its closing quote is missing
};

Field read_field(const char* at, const char* end, char delimiter, char* out) {
  Field field{.end = end, .content_end = end};
  const auto take = [&](const char* begin, std::size_t size) {
    if (out != nullptr) std::memcpy(out + field.size, begin, size);
    field.size += size;
  };
  if (at < end && *at == '"') {
    field.quoted = true;
    ++at;
    while (true) {
      const auto* quote = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
      if (quote == nullptr) {
        field.unterminated = field.last = true;
        return field;
      }
      const bool doubled = quote + 1 < end && quote[1] == '"';
      take(at, static_cast<std::size_t>(quote - at) + (doubled ? 1 : 0));
      at = quote + (doubled ? 2 : 1);
      if (!doubled) break;
    }
  }
  const char* stop = at;
  while (stop < end && *stop != delimiter && *stop != '\n') ++stop;
  field.last = stop == end || *stop == '\n';
  auto size = static_cast<std::size_t>(stop - at);
  if (field.last && size > 0 && at[size - 1] == '\r') --size;
  if (size > 0) take(at, size);
  field.content_end = at + size;
  field.end = stop == end ? end : stop + 1;
  return field;
}

// The size of an empty line at the beginning of the bytes, or 0 if a record begins there.
std::size_t empty_line(const char* at, const char* end) {
  const std::size_t mark = at < end && *at == '\r' ? 1 : 0;
  if (at + mark == end) return mark;
  return at[mark] == '\n' ? mark + 1 : 0;
}

// An input with more columns is not a table. The limit also bounds how much a short row grows when fields are added
// to it.
constexpr std::size_t kMostColumns = std::size_t{1} << 16;

// Iterates over the fields of a header row. Stores only the names that a message shows, however many there are.
class HeaderRow {
 public:
  HeaderRow(const char* at, const char* end, char delimiter) : end_(end), delimiter_(delimiter), field_{.end = at} {}

  // Advances to the next field; false after the last one.
  bool next() {
    if (field_.last) return false;
    begin_ = field_.end;
    field_ = read_field(begin_, end_, delimiter_, nullptr);
    return true;
  }
  bool is(const std::string& name) {
    if (field_.size != name.size()) return false;
    return content() == name;
  }
  void note_shown() {
    constexpr std::size_t kMostBytes = 100;
    if (shown_.size() > kShownNames) return;
    shown_.push_back(field_.size <= kMostBytes ? content()
                                               : shortened_reason(std::string(begin_, kMostBytes + 1), kMostBytes));
  }
  bool unterminated() const { return field_.unterminated; }
  const char* end() const { return field_.end; }
  const std::vector<std::string>& shown() const { return shown_; }

 private:
  std::string content() const {
    std::string text(field_.size, '\0');
    read_field(begin_, end_, delimiter_, text.data());
    return text;
  }

  const char* const end_;
  const char delimiter_;
  const char* begin_ = nullptr;
  Field field_;
  std::vector<std::string> shown_;
};

// The bytes of the first row that is not empty, without its line break.
std::size_t first_row_bytes(std::string_view bytes, char delimiter) {
  bytes.remove_prefix(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
  std::size_t held = 0;
  const std::size_t end = CsvScanner(0, delimiter).first_end(bytes, held);
  return end == std::string_view::npos ? bytes.size() : end - 1;
}

}  // namespace

// Scans from bytes[at] to the next line break that ends a record and returns the offset after it; npos if there is
// none.
std::size_t CsvScanner::next_end(std::string_view bytes, std::size_t at) {
  while (at < bytes.size()) {
    const char c = bytes[at];
    switch (state_) {
      case State::quoted:
        at = bytes.find('"', at);
        if (at == std::string_view::npos) return std::string_view::npos;
        state_ = State::after_quote;
        ++at;
        continue;
      case State::after_quote:
      case State::field_start:
        if (c == '"') {
          state_ = State::quoted;
          ++at;
          continue;
        }
        state_ = State::plain;
        [[fallthrough]];
      case State::plain:
        while (at < bytes.size() && bytes[at] != delimiter_ && bytes[at] != '\n') ++at;
        if (at == bytes.size()) return std::string_view::npos;
        state_ = State::field_start;
        if (bytes[at++] == '\n') return at;
    }
  }
  return std::string_view::npos;
}

std::size_t CsvScanner::first_end(std::string_view bytes, std::size_t& /*held*/) {
  return next_end(bytes, 0);
}

std::size_t CsvScanner::last_end(std::string_view bytes) {
  std::size_t last = std::string_view::npos;
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (state_ != State::quoted && state_ != State::after_quote) {
      // Before the next quote every line break ends a record, and only the last one matters.
      const std::size_t quote = std::min(bytes.find('"', at), bytes.size());
      const auto* line_break = static_cast<const char*>(memrchr(bytes.data() + at, '\n', quote - at));
      if (line_break != nullptr) {
        last = at = static_cast<std::size_t>(line_break - bytes.data()) + 1;
        state_ = State::field_start;
      }
    }
    const std::size_t end = next_end(bytes, at);
    if (end == std::string_view::npos) break;
    last = at = end;
  }
  return last;
}

void CsvScanner::read_header(RawPiece& piece, RecordFile& file, const InputOptions& options) {
  if (file.columns.count != 0) return;
  const std::string_view bytes(piece.bytes.data() + piece.begin, piece.end - piece.begin);
  if (piece.kind != RawPiece::Kind::records || first_row_bytes(bytes, delimiter_) > most_bytes_)
    throw Error(Errc::bad_input, fmt::format("{}: the header row is {}; is this a table?", file.path,
                                             too_long_reason(options.max_doc_bytes)));
  const CsvHeaderExtent header = read_csv_header(bytes, delimiter_, file.path, options, file.columns);
  piece.begin += header.begin;
  piece.line = header.lines;
}

CsvHeaderExtent read_csv_header(std::string_view bytes, char delimiter, const std::string& path,
                                const InputOptions& options, CsvColumns& columns) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at < end) {
    const std::size_t empty = empty_line(at, end);
    if (empty == 0) break;
    at += empty;
  }
  const auto header = static_cast<std::size_t>(at - bytes.data());
  if (at < end) {
    const std::string text_name = options.text_name();
    columns.text = columns.id = CsvColumns::kNoColumn;
    columns.extra.assign(options.extra_fields.size(), CsvColumns::kNoColumn);
    HeaderRow row(at, end, delimiter);
    while (row.next()) {
      if (row.unterminated())
        throw Error(Errc::bad_input, path + ": unclosed quote in the header row; is this a table?");
      if (columns.count == kMostColumns)
        throw Error(Errc::bad_input, fmt::format("{}: more than {} columns; is this a table?", path, kMostColumns));
      const auto take = [&](const std::string& name, std::size_t& column) {
        if (column == CsvColumns::kNoColumn && row.is(name)) column = columns.count;
      };
      take(text_name, columns.text);
      if (!options.id_field.empty()) take(options.id_field, columns.id);
      for (std::size_t i = 0; i < columns.extra.size(); ++i) take(options.extra_fields[i], columns.extra[i]);
      row.note_shown();
      ++columns.count;
      at = row.end();
    }
    const auto require = [&](const std::string& name, std::size_t column) {
      if (column == CsvColumns::kNoColumn)
        throw Error(Errc::bad_input,
                    fmt::format("{}: no column '{}'; the header has {}", path, name, quoted_names(row.shown())));
    };
    require(text_name, columns.text);
    if (!options.id_field.empty() && !options.id_optional) require(options.id_field, columns.id);
    columns.own_ids = columns.id != CsvColumns::kNoColumn;
    if (!columns.own_ids) columns.id = columns.text;
  }
  return {header, static_cast<std::size_t>(at - bytes.data()), line_breaks({bytes.data(), at})};
}

CsvRow measure_csv_row(std::string_view row, char delimiter) {
  const char* const end = row.data() + row.size();
  CsvRow measured;
  for (Field field{.end = row.data()}; !field.last; ++measured.columns) {
    field = read_field(field.end, end, delimiter, nullptr);
    measured.content_end = static_cast<std::size_t>(field.content_end - row.data());
  }
  return measured;
}

bool CsvParser::parse(RawPiece& piece, const RecordFile& file, LargeTurn& /*turn*/, BatchBuilder& builder) {
  const CsvColumns& columns = file.columns;
  const char* const data = piece.bytes.data();
  const char* const end = data + piece.end;
  const std::size_t needed = std::max(columns.text, columns.id) + 1;
  std::string id;
  std::vector<const char*> extra(columns.extra.size());  // where they begin
  while (piece.begin < piece.end && !builder.full()) {
    const char* const begin = data + piece.begin;
    if (const std::size_t empty = empty_line(begin, end); empty > 0) {
      piece.begin += empty;
      ++piece.line;
      continue;
    }
    // The id is decoded into the room for the text and copied from there: at its beginning if the text has not been
    // read yet, else after the text.
    std::size_t text_bytes = 0;
    std::size_t count = 0;
    bool quoted = false;
    std::string_view raw_text;
    id.clear();
    std::fill(extra.begin(), extra.end(), nullptr);
    Field field{.end = begin};
    do {
      const char* const field_begin = field.end;
      const bool wanted = count == columns.text || count == columns.id;
      char* out = wanted ? builder.room() + text_bytes : nullptr;
      field = read_field(field_begin, end, file.delimiter, out);
      if (wanted && !builder.ordinals() && count == columns.id) id.assign(out, field.size);
      if (count == columns.text) {
        text_bytes = field.size;
        raw_text = {field_begin, field.content_end};
      }
      for (std::size_t i = 0; i < extra.size(); ++i)
        if (columns.extra[i] == count) extra[i] = field_begin;
      quoted |= field.quoted;
      ++count;
    } while (!field.last);

    const std::uint64_t line = piece.line + 1;
    piece.line += quoted ? line_breaks({begin, field.end}) : 1;
    piece.begin = static_cast<std::size_t>(field.end - data);
    const bool ends_line = !field.unterminated && field.end[-1] == '\n';
    const auto raw_bytes = static_cast<std::size_t>(field.end - begin) - (ends_line ? 1 : 0);
    if (raw_bytes > most_bytes_ || text_bytes > options_.max_doc_bytes)
      builder.add_bad(file.path, line, too_long_reason(options_.max_doc_bytes));
    else if (field.unterminated)
      builder.add_bad(file.path, line, "unclosed quote");
    else if (count < needed)
      builder.add_bad(file.path, line, fmt::format("{} columns, but the header has {}", count, columns.count));
    else {
      if (options_.id_optional && (!columns.own_ids || id.empty()))
        id = fmt::format("{}:{}", file.path, piece.offset + static_cast<std::size_t>(begin - data));
      builder.add(text_bytes, id);
      for (std::size_t i = 0; i < extra.size(); ++i)
        if (extra[i] != nullptr) {
          // After the text there is room to decode one more field of the record.
          char* const out = builder.room();
          const bool is_text = columns.extra[i] == columns.text;
          const std::size_t size = is_text ? text_bytes : read_field(extra[i], end, file.delimiter, out).size;
          builder.set_field(i, FieldKind::string, {is_text ? out - text_bytes : out, size});
        }
      if (builder.raw()) builder.locate({begin, field.end}, raw_text);
    }
  }
  return true;
}

std::optional<std::string> csv_content(std::string_view raw, char delimiter) {
  // Without the delimiter, a carriage return at the end would be removed as part of a line break.
  const std::string bytes = std::string(raw) + delimiter;
  std::string content(bytes.size(), '\0');
  const char* const end = bytes.data() + bytes.size();
  const Field field = read_field(bytes.data(), end, delimiter, content.data());
  if (field.unterminated || field.end != end) return std::nullopt;
  content.resize(field.size);
  return content;
}

}  // namespace refrain::corpus
