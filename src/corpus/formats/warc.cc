#include "corpus/formats/warc.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "corpus/formats/charset.h"
#include "corpus/formats/piece.h"

namespace refrain::corpus {

namespace {

constexpr std::string_view kVersion = "WARC/";
constexpr std::size_t kMaxArcLine = std::size_t{4} << 10;
// The longest possible beginning of a record at the end of some bytes that cannot be recognized yet.
constexpr std::size_t kNextBytes = kMaxArcLine + 1;
constexpr std::size_t kMaxHeaderBytes = std::size_t{64} << 10;
constexpr std::size_t kEndBytes = 4;   // of the line breaks after a record
constexpr std::size_t kMaxBlank = 64;  // more line breaks than this before a record are treated as damage
// An upper bound for the bytes after a record that are examined to see whether the record ends correctly.
constexpr std::size_t kSlackBytes = kMaxArcLine + 16;
constexpr std::uint64_t kMaxLength = std::uint64_t{1} << 62;

bool is_break(char c) {
  return c == '\r' || c == '\n';
}

bool begins_warc(std::string_view bytes) {
  return bytes.size() > kVersion.size() && bytes.starts_with(kVersion) && is_digit(bytes[kVersion.size()]);
}

// The line before an ARC record.
struct ArcLine {
  std::string_view url;
  std::string_view address;
  std::string_view date;
  std::string_view type;
  std::string_view length;
  std::size_t size = 0;  // with its line break
};

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// The line at the beginning of `bytes`, if it is a valid one.
std::optional<ArcLine> arc_line(std::string_view bytes) {
  if (bytes.empty() || !is_letter(bytes.front())) return std::nullopt;
  std::string_view line = bytes.substr(0, kMaxArcLine);
  line = line.substr(0, std::min(line.find('\n'), line.size()));
  if (line.size() == std::min(bytes.size(), kMaxArcLine)) return std::nullopt;
  ArcLine found;
  found.size = line.size() + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t last = line.rfind(' ');
  if (last == std::string_view::npos) return std::nullopt;
  found.length = line.substr(last + 1);
  line = line.substr(0, last);
  for (std::string_view* field : {&found.url, &found.address, &found.date, &found.type}) {
    *field = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(field->size() + 1, line.size()));
  }
  const bool sound = found.url.find(':') != std::string_view::npos && !found.address.empty() && !found.type.empty() &&
                     found.date.size() >= 8 && all_digits(found.date) && all_digits(found.length);
  return sound ? std::optional(found) : std::nullopt;
}

bool begins_record(std::string_view bytes) {
  return begins_warc(bytes) || arc_line(bytes).has_value();
}

// Whether `bytes`, if more bytes follow, may turn out to begin with a record.
bool may_begin_record(std::string_view bytes) {
  if (bytes.size() <= kVersion.size() && kVersion.starts_with(bytes)) return true;
  return bytes.size() < kMaxArcLine && is_letter(bytes.front()) && bytes.find('\n') == std::string_view::npos;
}

// The offset of the next record that begins after a line break at or after `from`.
std::size_t find_next(std::string_view bytes, std::size_t from) {
  for (std::size_t at = bytes.find('\n', from); at != std::string_view::npos; at = bytes.find('\n', at + 1))
    if (begins_record(bytes.substr(at + 1))) return at + 1;
  return std::string_view::npos;
}

// A header of a record. ARC records have few headers, which are given WARC names.
std::optional<std::string_view> record_header(std::string_view headers, std::string_view name) {
  if (begins_warc(headers)) return header_value(headers, name);
  const std::optional<ArcLine> line = arc_line(headers);
  if (!line) return std::nullopt;
  const std::pair<std::string_view, std::string_view> known[] = {{"warc-target-uri", line->url},
                                                                 {"warc-ip-address", line->address},
                                                                 {"warc-date", line->date},
                                                                 {"content-type", line->type},
                                                                 {"content-length", line->length}};
  for (const auto& [header, value] : known)
    if (same_word(name, header)) return value;
  return std::nullopt;
}

// The end of the headers that some bytes begin with.
struct RecordHeaders {
  std::size_t end = std::string_view::npos;  // npos: no blank line ends them
  bool cut = false;                          // another record begins first, or they are too long
};

// Looks no further than the beginning of the next record, so that many incomplete records in a row take linear time.
RecordHeaders find_headers(std::string_view bytes) {
  if (!begins_warc(bytes)) return {.end = arc_line(bytes)->size};
  const std::string_view looked_at = bytes.substr(0, kMaxHeaderBytes);
  for (std::size_t at = looked_at.find('\n'); at != std::string_view::npos; at = looked_at.find('\n', at + 1)) {
    const std::string_view next = looked_at.substr(at + 1);
    if (next.starts_with('\n')) return {.end = at + 2};
    if (next.starts_with("\r\n")) return {.end = at + 3};
    if (begins_record(next)) return {.cut = true};
  }
  return {.cut = bytes.size() >= kMaxHeaderBytes};
}

std::optional<std::uint64_t> length_of(std::string_view headers) {
  const std::optional<std::string_view> value = record_header(headers, "content-length");
  if (!value || value->empty()) return std::nullopt;
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), length);
  if (error != std::errc() || end != value->data() + value->size()) return std::nullopt;
  return length;
}

// For "text/HTML; charset=x", returns "text/html".
std::string media_type(std::string_view type) {
  std::string media;
  for (const char c : type.substr(0, type.find(';')))
    if (c != ' ' && c != '\t') media += 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return media;
}

// For "text/html; charset=x", returns "x".
std::string_view charset_parameter(std::string_view type) {
  std::size_t at = type.find(';');
  while (at != std::string_view::npos) {
    std::string_view parameter = type.substr(at + 1, type.find(';', at + 1) - at - 1);
    parameter.remove_prefix(std::min(parameter.find_first_not_of(" \t"), parameter.size()));
    const std::size_t equals = parameter.find('=');
    if (equals != std::string_view::npos && same_word(parameter.substr(0, equals), "charset"))
      return parameter.substr(equals + 1);
    at = type.find(';', at + 1);
  }
  return {};
}

}  // namespace

WarcSpan measure_warc(std::string_view bytes, std::uint64_t most_bytes, bool all, std::size_t& searched) {
  const auto unknown = [] { return WarcSpan{.kind = WarcSpan::Kind::record, .size = WarcSpan::npos}; };
  const auto may_begin = [&](std::string_view rest) { return !all && may_begin_record(rest); };
  const std::string_view start = bytes.substr(0, kMaxBlank + 1);
  const auto begin = static_cast<std::size_t>(std::find_if_not(start.begin(), start.end(), is_break) - start.begin());
  // A damaged part up to the next record or the end.
  const auto damaged = [&]() -> WarcSpan {
    const std::size_t next = find_next(bytes, std::max(std::min(begin, kMaxBlank), searched));
    if (next == std::string_view::npos && !all) {
      searched = bytes.size() - std::min(bytes.size(), kNextBytes);
      return unknown();
    }
    const std::size_t size = std::min(next, bytes.size());
    return {.kind = size > most_bytes ? WarcSpan::Kind::too_long : WarcSpan::Kind::damaged, .size = size};
  };
  if (begin > kMaxBlank) return damaged();
  if (begin == bytes.size()) return all ? WarcSpan{.kind = WarcSpan::Kind::blank, .size = begin} : unknown();
  const std::string_view record = bytes.substr(begin);
  if (may_begin(record)) return unknown();
  if (!begins_record(record)) return damaged();
  const auto [headers_end, cut] = find_headers(record);
  if (headers_end == std::string_view::npos) return cut || all ? damaged() : unknown();
  const std::string_view headers = record.substr(0, headers_end);
  const std::optional<std::uint64_t> length = length_of(headers);
  if (!length) return damaged();

  WarcSpan span;
  span.headers_begin = begin;
  span.block_begin = begin + headers_end;
  span.block_end = span.block_begin + static_cast<std::size_t>(std::min(*length, kMaxLength));
  const bool too_long = span.block_end > most_bytes;
  if (too_long) span.kind = WarcSpan::Kind::too_long;
  if (span.block_end > bytes.size()) {
    if (all && !too_long) return damaged();
    span.size = all ? bytes.size() : WarcSpan::npos;
    return span;
  }
  const std::string_view behind = bytes.substr(span.block_end);
  const std::size_t breaks = std::min(std::min(behind.find_first_not_of("\r\n"), behind.size()), kEndBytes);
  const std::string_view next = behind.substr(breaks);
  span.size = span.block_end + breaks;
  if (breaks == kEndBytes) return span;
  if (next.empty() && !all) {
    span.size = WarcSpan::npos;
    return span;
  }
  const bool ends_well = !begins_warc(headers) && breaks > 0;
  if (too_long || next.empty() || ends_well || begins_record(next)) return span;
  return may_begin(next) ? unknown() : damaged();
}

std::size_t warc_record_size(std::string_view bytes, std::uint64_t most_bytes) {
  std::size_t searched = 0;
  return measure_warc(bytes, most_bytes, true, searched).size;
}

std::size_t WarcScanner::last_end(std::string_view bytes) {
  std::size_t last = std::string_view::npos;
  for (std::size_t at = 0; at < bytes.size();) {
    const WarcSpan span = measure_warc(bytes.substr(at), most_bytes_, false, searched_);
    if (span.size == WarcSpan::npos) break;
    last = at = at + span.size;
    searched_ = 0;
  }
  return last;
}

bool WarcScanner::too_long(std::string_view bytes, std::size_t& held) {
  const WarcSpan span = measure_warc(bytes, most_bytes_, false, searched_);
  held = bytes.size();
  if (span.kind == WarcSpan::Kind::too_long) {
    search_ = false;
    left_ = std::max(span.block_end, bytes.size()) - bytes.size();
    breaks_left_ = kEndBytes - (bytes.size() - std::min(span.block_end, bytes.size()));
  } else {
    // A complete record of permitted size would have been found by now.
    if (bytes.size() <= most_bytes_ + kSlackBytes) return false;
    search_ = true;
    held = bytes.size() - kNextBytes;
  }
  searched_ = 0;
  return true;
}

std::size_t WarcScanner::first_end(std::string_view bytes, std::size_t& held) {
  held = bytes.size();
  if (search_) {
    const std::size_t next = find_next(bytes, 0);
    if (next == std::string_view::npos) held = bytes.size() - std::min(bytes.size(), kNextBytes);
    return next;
  }
  const auto passed = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  left_ -= passed;
  std::size_t at = passed;
  while (at < bytes.size() && breaks_left_ > 0 && is_break(bytes[at])) {
    ++at;
    --breaks_left_;
  }
  return left_ == 0 && (breaks_left_ == 0 || at < bytes.size()) ? at : std::string_view::npos;
}

WarcParser::WarcParser(MemoryBudget& budget, std::size_t piece_bytes, const InputOptions& options)
    : RecordParser(budget, piece_bytes, options), body_(budget), page_(budget, options.main_version) {}

bool WarcParser::parse(RawPiece& piece, const RecordFile& file, LargeTurn& turn, BatchBuilder& builder) {
  while (piece.begin < piece.end && !builder.full()) {
    const std::string_view bytes(piece.bytes.data() + piece.begin, piece.end - piece.begin);
    std::size_t searched = 0;
    const WarcSpan span = measure_warc(bytes, most_bytes_, true, searched);
    if (span.kind == WarcSpan::Kind::damaged) builder.add_bad(file.path, 0, "incomplete record of a web archive");
    if (span.kind == WarcSpan::Kind::too_long) builder.add_bad(file.path, 0, too_long_reason(options_.max_doc_bytes));
    if (span.kind == WarcSpan::Kind::record) {
      const std::string_view headers = bytes.substr(span.headers_begin, span.block_begin - span.headers_begin);
      const std::string_view block = bytes.substr(span.block_begin, span.block_end - span.block_begin);
      const Found found = std::exchange(ready_, false) ? Found::document : read(headers, block, turn);
      ready_ = found == Found::document && !make_room(builder, text_.size(), turn);
      if (ready_) return false;
      if (found == Found::other) ++counts_.other_skipped;
      if (found == Found::bad) builder.add_bad(file.path, 0, reason_);
      if (found == Found::document) add(headers, bytes.substr(0, span.size), builder);
    }
    piece.begin += span.size;
  }
  return true;
}

void WarcParser::add(std::string_view headers, std::string_view record, BatchBuilder& builder) {
  if (!text_.empty()) std::memcpy(builder.room(), text_.data(), text_.size());
  builder.add(text_.size(), id_);
  if (page_.take_navigation()) builder.mark_vague();
  for (std::size_t i = 0; i < options_.extra_fields.size(); ++i)
    if (const auto value = record_header(headers, options_.extra_fields[i]))
      builder.set_field(i, FieldKind::string, *value);
  if (builder.raw()) builder.locate(record, {});
}

// Interprets a complete record. Sets text_ and id_ for a document, reason_ for a bad record.
WarcParser::Found WarcParser::read(std::string_view headers, std::string_view block, LargeTurn& turn) {
  const bool arc = !begins_warc(headers);
  const std::string_view type = header_value(headers, "warc-type").value_or("");
  const bool response = arc || same_word(type, "response");
  const bool metadata = !arc && same_word(type, "metadata");
  if (!response && !metadata && !same_word(type, "resource") && !same_word(type, "conversion")) return Found::other;
  std::string_view content_type = record_header(headers, "content-type").value_or("");
  std::optional<HttpResponse> http;
  if (response) {
    if (arc ? !headers.starts_with("http") : media_type(content_type) != "application/http") return Found::other;
    http = read_http(block);
    if (http && http->status != 200) return Found::other;
    if (http) content_type = header_value(http->headers, "content-type").value_or(arc ? content_type : "");
  }
  const std::string media = media_type(content_type);
  const bool html = media == "text/html" || media == "application/xhtml+xml";
  const bool text = metadata ? media == "application/json" : html || media == "text/plain";
  if ((!response || http) && !text) return Found::other;

  const bool by_address = options_.id_field.empty() || options_.id_optional;
  const std::string name = by_address ? "WARC-Target-URI" : options_.id_field;
  const std::optional<std::string_view> id = record_header(headers, name);
  if (!id) {
    reason_ = fmt::format("no header '{}'", name);
    return Found::bad;
  }
  id_ = *id;
  if (by_address && id_.starts_with('<') && id_.ends_with('>')) id_ = id_.substr(1, id_.size() - 2);
  if (response && !http) {
    reason_ = fmt::format("{}: not an HTTP response", id_);
    return Found::bad;
  }
  std::string_view body = block;
  if (http) {
    std::string reason;
    const auto grow = [&](std::size_t bytes) { turn.need(bytes); };
    const std::optional<std::string_view> decoded = body_.decode(*http, most_bytes_, grow, reason);
    if (!decoded) {
      reason_ = fmt::format("{}: {}", id_, reason);
      return Found::bad;
    }
    body = *decoded;
  }
  return read_text(body, content_type, html, turn);
}

WarcParser::Found WarcParser::read_text(std::string_view body, std::string_view type, bool html, LargeTurn& turn) {
  const auto grow = [&](std::size_t bytes) { turn.need(bytes); };
  const std::string charset = charset_of(body, charset_parameter(type), html);
  const std::optional<std::string_view> text = page_.read(body, charset, html, options_.html, grow);
  if (!text) {
    reason_ = fmt::format("{}: unknown charset '{}'", id_, charset);
    return Found::bad;
  }
  counts_.replaced += page_.take_replaced();
  text_ = *text;
  if (text_.size() <= options_.max_doc_bytes) return Found::document;
  reason_ = too_long_reason(options_.max_doc_bytes);
  return Found::bad;
}

void WarcParser::shrink() {
  body_.shrink();
  page_.shrink();
}

}  // namespace refrain::corpus
