#include "corpus/formats/jsonl.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "corpus/formats/raw_json.h"

namespace refrain::corpus {

namespace {

namespace ondemand = simdjson::ondemand;

static_assert(kPadding >= simdjson::SIMDJSON_PADDING);

// The memory of simdjson per byte of capacity: 4 for the structural index, 5/3 for decoded strings.
constexpr std::size_t kParserBytesPerByte = 6;
constexpr std::size_t kMinCapacity = std::size_t{16} << 10;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::string not_json(simdjson::error_code error) {
  return fmt::format("not JSON: {}", simdjson::error_message(error));
}

// The key of `field`, with escapes decoded. simdjson allows this only once per field. `end` is the end of the line.
simdjson::error_code key_of(ondemand::field& field, const char* end, std::string_view& key) {
  const char* const raw = field.key().raw();
  const auto* quote = static_cast<const char*>(std::memchr(raw, '"', static_cast<std::size_t>(end - raw)));
  key = {raw, static_cast<std::size_t>((quote == nullptr ? end : quote) - raw)};
  if (key.find('\\') == std::string_view::npos) return simdjson::SUCCESS;
  return field.unescaped_key().get(key);
}

// For a message about a missing field: lists the fields of an object that has been traversed, as far as a message has
// room. `end` is the end of the line.
std::string fields_there(ondemand::document& document, const char* end) {
  constexpr std::size_t kMostBytes = 200;
  document.rewind();  // rewinding only the object would not free the room of strings that are already unescaped
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) return {};
  std::vector<std::string> names;
  std::size_t bytes = 0;
  for (auto result : object) {
    ondemand::field field;
    std::string_view key;
    if (std::move(result).get(field) != simdjson::SUCCESS || key_of(field, end, key) != simdjson::SUCCESS) return {};
    names.emplace_back(key.substr(0, kMostBytes));
    bytes += names.back().size() + 1;
    if (bytes > kMostBytes) break;
  }
  return names.empty() ? "; the record is empty" : fmt::format("; the record has {}", quoted_names(names));
}

// The content of a string known to be valid JSON. It begins at `at`, after its quote, and ends before `end`.
std::string_view raw_string(const char* at, const char* end) {
  for (const char* from = at;;) {
    const auto* quote = static_cast<const char*>(std::memchr(from, '"', static_cast<std::size_t>(end - from)));
    const char* slash = quote;
    while (slash != at && slash[-1] == '\\') --slash;
    if ((quote - slash) % 2 == 0) return {at, static_cast<std::size_t>(quote - at)};
    from = quote + 1;
  }
}

bool is_blank_character(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view without_blanks(std::string_view token) {
  while (!token.empty() && is_blank_character(token.back())) token.remove_suffix(1);
  return token;
}

}  // namespace

JsonlParser::JsonlParser(MemoryBudget& budget, std::size_t piece_bytes, const InputOptions& options)
    : RecordParser(budget, piece_bytes, options),
      piece_bytes_(piece_bytes),
      reservation_(budget.reserve(0, "parsing JSON")) {
  want(options.text_name());
  if (!options.id_field.empty()) id_ = want(options.id_field);
  for (const std::string& name : options.extra_fields) extra_.push_back(want(name));
}

// The index of the field in wanted_, to which it is added if necessary.
std::size_t JsonlParser::want(const std::string& name) {
  for (std::size_t i = 0; i < wanted_.size(); ++i)
    if (wanted_[i].suffixes.front() == name) return i;
  Wanted& wanted = wanted_.emplace_back();
  wanted.suffixes.push_back(name);
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
    wanted.suffixes.push_back(name.substr(dot + 1));
  return wanted_.size() - 1;
}

void JsonlParser::allocate(std::size_t line_bytes) {
  if (line_bytes <= parser_.capacity() && parser_.capacity() > 0) return;
  const std::size_t capacity =
      line_bytes > piece_bytes_ ? line_bytes : std::bit_ceil(std::max(line_bytes, kMinCapacity));
  shrink();
  reservation_.resize(capacity * kParserBytesPerByte, "parsing a long line of JSON");
  parser_ = ondemand::parser();
  if (parser_.allocate(capacity) == simdjson::MEMALLOC) throw std::bad_alloc();
}

void JsonlParser::shrink() {
  if (parser_.capacity() <= std::max(piece_bytes_ * 2, kMinCapacity)) return;
  parser_ = ondemand::parser();
  reservation_.resize(0, {});
}

bool JsonlParser::parse(RawPiece& piece, const RecordFile& file, LargeTurn& turn, BatchBuilder& builder) {
  const char* const data = piece.bytes.data();
  while (piece.begin < piece.end && !builder.full()) {
    const char* const begin = data + piece.begin;
    const char* end = static_cast<const char*>(std::memchr(begin, '\n', piece.end - piece.begin));
    if (end == nullptr) end = data + piece.end;
    piece.begin = std::min(static_cast<std::size_t>(end - data) + 1, piece.end);
    ++piece.line;
    const std::string_view line(begin, static_cast<std::size_t>(end - begin));
    if (line.size() > most_bytes_) {
      builder.add_bad(file.path, piece.line, too_long_reason(options_.max_doc_bytes));
      continue;
    }
    if (!is_blank(line)) parse_line(line, {begin, data + piece.begin}, piece, file.path, piece.line, builder);
  }
  if (turn.taken()) shrink();  // long documents need the memory elsewhere
  return true;
}

bool JsonListParser::parse(RawPiece& piece, const RecordFile& file, LargeTurn& turn, BatchBuilder& builder) {
  const char* const data = piece.bytes.data();
  while (piece.begin < piece.end && !builder.full()) {
    const std::string_view rest(data + piece.begin, piece.end - piece.begin);
    const std::size_t begin = std::min(rest.find('{'), rest.size());
    const std::string_view before = rest.substr(0, begin);
    const std::uint64_t line_before = piece.line + 1;
    piece.line += line_breaks(before);
    const std::uint64_t line = piece.line + 1;
    piece.begin += begin;
    if (before.size() > most_bytes_)
      builder.add_bad(file.path, line_before, too_long_reason(options_.max_doc_bytes));
    else if (before.find_first_not_of(" \t\r\n,[]") != std::string_view::npos)
      builder.add_bad(file.path, line, "not JSON: text between the records");
    if (begin == rest.size() || builder.full()) break;
    JsonScanner scanner;
    const std::string_view from_here = rest.substr(begin);
    const std::string_view record = from_here.substr(0, scanner.first_end(from_here));  // all, if it has no end
    piece.line += line_breaks(record);
    piece.begin += record.size();
    if (record.size() > most_bytes_)
      builder.add_bad(file.path, line, too_long_reason(options_.max_doc_bytes));
    else
      parse_line(record, record, piece, file.path, line, builder);
  }
  if (turn.taken()) shrink();
  return true;
}

// Traverses an object at the end of a path with `depth` dots, and takes the requested values.
simdjson::error_code JsonlParser::walk(ondemand::object object, std::size_t depth, const char* end, char* room) {
  for (auto result : object) {
    ondemand::field field;
    std::string_view key;
    simdjson::error_code error = std::move(result).get(field);
    if (error == simdjson::SUCCESS) error = key_of(field, end, key);
    if (error != simdjson::SUCCESS) return error;
    Wanted* here = nullptr;
    bool enter = false;
    for (Wanted& wanted : wanted_) {
      if (wanted.active != depth || (wanted.found.kind != FieldKind::missing && wanted.found.depth <= depth)) continue;
      const std::string& rest = wanted.suffixes[depth];
      if (key == rest) {
        here = &wanted;
      } else if (depth + 1 < wanted.suffixes.size() && rest.starts_with(key) && rest[key.size()] == '.' &&
                 key.size() + 1 + wanted.suffixes[depth + 1].size() == rest.size()) {
        wanted.active = depth + 1;
        enter = true;
      }
    }
    if (here == nullptr && !enter) continue;
    error = take(field.value(), here, enter, depth, end, room);
    if (error != simdjson::SUCCESS) return error;
    if (!enter) continue;
    for (Wanted& wanted : wanted_)
      if (wanted.active == depth + 1) wanted.active = depth;
  }
  return simdjson::SUCCESS;
}

// Takes a value: for `wanted`, unless that is null, and for requested fields inside the value, if `enter`.
simdjson::error_code JsonlParser::take(ondemand::value value, Wanted* wanted, bool enter, std::size_t depth,
                                       const char* end, char* room) {
  ondemand::json_type type{};
  if (const auto error = value.type().get(type); error != simdjson::SUCCESS) return error;
  Found found;
  found.kind = FieldKind::json;
  found.depth = depth;
  simdjson::error_code error = simdjson::SUCCESS;
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    error = value.get_object().get(object);
    if (error == simdjson::SUCCESS && wanted != nullptr) {
      error = object.raw_json().get(found.value);
      if (error == simdjson::SUCCESS && enter) error = object.reset().error();
    }
    if (error == simdjson::SUCCESS && enter) error = walk(object, depth + 1, end, room);
  }
  if (error != simdjson::SUCCESS || wanted == nullptr) return error;
  switch (type) {
    case ondemand::json_type::object:
      break;
    case ondemand::json_type::array: {
      ondemand::array array;
      error = value.get_array().get(array);
      if (error == simdjson::SUCCESS) error = array.raw_json().get(found.value);
      break;
    }
    case ondemand::json_type::string: {
      found.kind = FieldKind::string;
      if (wanted != wanted_.data()) {
        error = value.get_string().get(found.value);
        break;
      }
      ondemand::raw_json_string raw;
      error = value.get_raw_json_string().get(raw);
      if (error != simdjson::SUCCESS) break;
      found.raw = raw.raw();
      auto* out = reinterpret_cast<std::uint8_t*>(room);
      error = parser_.unescape(raw, out).get(found.value);
      if (error == simdjson::STRING_ERROR) {
        const std::string_view content = raw_string(raw.raw(), end);
        const std::optional<std::size_t> size = unescape_leniently(content, room, counts_.surrogates);
        if (size) {
          found.value = {room, *size};
          error = simdjson::SUCCESS;
        }
      }
      break;
    }
    case ondemand::json_type::number: {
      found.kind = FieldKind::number;
      found.value = value.raw_json_token();
      double ignored = 0;
      if (!is_integer(without_blanks(found.value))) error = value.get_double().get(ignored);
      break;
    }
    case ondemand::json_type::boolean: {
      found.kind = FieldKind::boolean;
      found.value = value.raw_json_token();
      bool ignored = false;
      error = value.get_bool().get(ignored);
      break;
    }
    case ondemand::json_type::null: {
      found.kind = FieldKind::null;
      bool is_null = false;
      if (value.is_null().get(is_null) != simdjson::SUCCESS || !is_null) error = simdjson::N_ATOM_ERROR;
      break;
    }
  }
  if (found.kind != FieldKind::string) found.value = without_blanks(found.value);
  wanted->found = found;
  return error;
}

// The first required field that the line lacks, or null.
const JsonlParser::Wanted* JsonlParser::missing_field(bool want_id) const {
  if (wanted_.front().found.kind == FieldKind::missing) return &wanted_.front();
  const bool needs_id = want_id && !options_.id_optional;
  return needs_id && wanted_[id_].found.kind == FieldKind::missing ? &wanted_[id_] : nullptr;
}

// Why the fields of the line are not usable, given that none is missing; empty if they are.
std::string JsonlParser::complaint(bool want_id) const {
  if (wanted_.front().found.kind != FieldKind::string)
    return fmt::format("field '{}' is not a string", options_.text_name());
  const Found& id = wanted_[id_].found;
  return !want_id || options_.id_optional || is_id(id.kind, id.value) ? "" : no_id(options_.id_field, id.kind);
}

void JsonlParser::parse_line(std::string_view line, std::string_view record, const RawPiece& piece,
                             const std::string& path, std::uint64_t line_number, BatchBuilder& builder) {
  const auto begin = static_cast<std::size_t>(line.data() - piece.bytes.data());
  const auto bad = [&](std::string reason) { builder.add_bad(path, line_number, std::move(reason)); };
  allocate(line.size());
  ondemand::document document;
  if (const auto error = parser_.iterate(line.data(), line.size(), piece.bytes.size() - begin).get(document);
      error != simdjson::SUCCESS)
    return bad(not_json(error));
  ondemand::object object;
  if (const auto error = document.get_object().get(object); error != simdjson::SUCCESS)
    return bad(error == simdjson::INCORRECT_TYPE ? "not a JSON object" : not_json(error));

  for (Wanted& wanted : wanted_) {
    wanted.active = 0;
    wanted.found = {};
  }
  if (const auto error = walk(object, 0, line.data() + line.size(), builder.room()); error != simdjson::SUCCESS)
    return bad(not_json(error));
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return bad("not JSON: text after the object");
  if (const Wanted* missing = missing_field(!builder.ordinals()))
    return bad(fmt::format("no field '{}'{}", missing->suffixes.front(),
                           builder.wants_reasons() ? fields_there(document, line.data() + line.size()) : ""));
  if (std::string what = complaint(!builder.ordinals()); !what.empty()) return bad(std::move(what));
  const Found& text = wanted_.front().found;
  if (text.value.size() > options_.max_doc_bytes) return bad(too_long_reason(options_.max_doc_bytes));
  const Found& id = wanted_[id_].found;
  if (options_.id_optional && !is_id(id.kind, id.value))
    builder.add(text.value.size(), fmt::format("{}:{}", path, piece.offset + begin));
  else
    builder.add(text.value.size(), id.value);
  for (std::size_t i = 0; i < extra_.size(); ++i) {
    const Found& extra = wanted_[extra_[i]].found;
    builder.set_field(i, extra.kind, extra.value);
  }
  if (builder.raw()) builder.locate(record, raw_string(text.raw, line.data() + line.size()));
}

}  // namespace refrain::corpus
