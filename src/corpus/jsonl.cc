#include "corpus/jsonl.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <optional>

namespace refrain {

namespace {

namespace ondemand = simdjson::ondemand;

static_assert(kPadding >= simdjson::SIMDJSON_PADDING);

// What simdjson takes a byte of capacity: 4 for the index of the structure, 5/3 for decoded strings.
constexpr std::size_t kParserBytesPerByte = 6;
constexpr std::size_t kMinCapacity = std::size_t{16} << 10;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::string not_json(simdjson::error_code error) {
  return fmt::format("not JSON: {}", simdjson::error_message(error));
}

// The key of `field`, escapes resolved. simdjson lets it be asked for only once. `end` is the end of the line.
simdjson::error_code key_of(ondemand::field& field, const char* end, std::string_view& key) {
  const char* const raw = field.key().raw();
  const auto* quote = static_cast<const char*>(std::memchr(raw, '"', static_cast<std::size_t>(end - raw)));
  key = {raw, static_cast<std::size_t>((quote == nullptr ? end : quote) - raw)};
  if (key.find('\\') == std::string_view::npos) return simdjson::SUCCESS;
  return field.unescaped_key().get(key);
}

bool is_integer(std::string_view digits) {
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0')) return false;
  return std::all_of(digits.begin(), digits.end(), [](char c) { return '0' <= c && c <= '9'; });
}

// What has been found of a line. A complaint is about a field; that the line is no JSON at all goes before it.
struct Found {
  std::optional<std::size_t> text_bytes;  // they are where the builder has room
  const char* raw_text = nullptr;         // the first of them behind the quote in the line
  std::optional<std::string_view> id;
  std::string complaint;

  void complain(std::string what) {
    if (complaint.empty()) complaint = std::move(what);
  }
};

simdjson::error_code take_text(const ondemand::parser& parser, ondemand::value value, const std::string& name,
                               char* room, Found& found) {
  found.text_bytes = 0;
  ondemand::json_type type{};
  if (const auto error = value.type().get(type); error != simdjson::SUCCESS) return error;
  if (type != ondemand::json_type::string) {
    found.complain(fmt::format("field '{}' is not a string", name));
    return simdjson::SUCCESS;
  }
  ondemand::raw_json_string raw;
  if (const auto error = value.get_raw_json_string().get(raw); error != simdjson::SUCCESS) return error;
  std::string_view text;
  auto* out = reinterpret_cast<std::uint8_t*>(room);
  if (const auto error = parser.unescape(raw, out).get(text); error != simdjson::SUCCESS) return error;
  found.text_bytes = text.size();
  found.raw_text = raw.raw();
  return simdjson::SUCCESS;
}

// The content of a string that is known to be JSON and begins at `at`, behind its quote.
std::string_view raw_string(const char* at) {
  const char* end = at;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  return {at, static_cast<std::size_t>(end - at)};
}

simdjson::error_code take_id(ondemand::value value, const std::string& name, Found& found) {
  found.id = std::string_view();
  ondemand::json_type type{};
  if (const auto error = value.type().get(type); error != simdjson::SUCCESS) return error;
  if (type == ondemand::json_type::string) return value.get_string().get(*found.id);
  if (type != ondemand::json_type::number) {
    found.complain(fmt::format("field '{}' is neither a string nor a number", name));
    return simdjson::SUCCESS;
  }
  std::string_view token = value.raw_json_token();
  token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
  if (is_integer(token)) {
    found.id = token;
    return simdjson::SUCCESS;
  }
  found.complain(fmt::format("field '{}' is a number that is not an integer", name));
  double ignored = 0;
  return value.get_double().get(ignored);
}

}  // namespace

JsonlParser::JsonlParser(MemoryBudget& budget, std::size_t piece_bytes)
    : piece_bytes_(piece_bytes), reservation_(budget.reserve(0, "parsing JSON")) {}

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

void JsonlParser::parse(RawPiece& piece, const std::string& path, const InputOptions& options, BatchBuilder& builder) {
  const char* const data = piece.bytes.data();
  const std::uint64_t max_raw = max_raw_bytes(Format::jsonl, options.max_doc_bytes);
  while (piece.begin < piece.end && !builder.full()) {
    const char* const begin = data + piece.begin;
    const char* end = static_cast<const char*>(std::memchr(begin, '\n', piece.end - piece.begin));
    if (end == nullptr) end = data + piece.end;
    piece.begin = std::min(static_cast<std::size_t>(end - data) + 1, piece.end);
    ++piece.line;
    const std::string_view line(begin, static_cast<std::size_t>(end - begin));
    if (line.size() > max_raw) {
      builder.add_bad(path, piece.line, too_long_reason(options.max_doc_bytes));
      continue;
    }
    if (is_blank(line)) continue;
    const auto readable = static_cast<std::size_t>(data + piece.bytes.size() - begin);
    parse_line(line, {begin, data + piece.begin}, readable, path, piece.line, options, builder);
  }
}

void JsonlParser::parse_line(std::string_view line, std::string_view record, std::size_t readable,
                             const std::string& path, std::uint64_t line_number, const InputOptions& options,
                             BatchBuilder& builder) {
  const auto bad = [&](std::string reason) { builder.add_bad(path, line_number, std::move(reason)); };
  allocate(line.size());
  ondemand::document document;
  if (const auto error = parser_.iterate(line.data(), line.size(), readable).get(document); error != simdjson::SUCCESS)
    return bad(not_json(error));
  ondemand::object object;
  if (const auto error = document.get_object().get(object); error != simdjson::SUCCESS)
    return bad(error == simdjson::INCORRECT_TYPE ? "not a JSON object" : not_json(error));

  const bool want_id = !builder.ordinals();
  const bool same_field = want_id && options.id_field == options.text_field;
  const char* const end = line.data() + line.size();
  char* const room = builder.room();
  Found found;
  for (auto result : object) {
    ondemand::field field;
    std::string_view key;
    simdjson::error_code error = std::move(result).get(field);
    if (error == simdjson::SUCCESS) error = key_of(field, end, key);
    if (error == simdjson::SUCCESS) {
      if (!found.text_bytes && key == options.text_field)
        error = take_text(parser_, field.value(), options.text_field, room, found);
      else if (want_id && !same_field && !found.id && key == options.id_field)
        error = take_id(field.value(), options.id_field, found);
    }
    if (error != simdjson::SUCCESS) return bad(not_json(error));
  }
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return bad("not JSON: more follows the object");
  if (same_field && found.text_bytes) found.id = std::string_view(room, *found.text_bytes);
  if (!found.text_bytes) found.complain(fmt::format("no field '{}'", options.text_field));
  if (want_id && !found.id) found.complain(fmt::format("no field '{}'", options.id_field));
  if (!found.complaint.empty()) return bad(std::move(found.complaint));
  if (*found.text_bytes > options.max_doc_bytes) return bad(too_long_reason(options.max_doc_bytes));
  builder.add(*found.text_bytes, found.id.value_or(std::string_view()));
  if (builder.raw()) builder.locate(record, raw_string(found.raw_text));
}

}  // namespace refrain
