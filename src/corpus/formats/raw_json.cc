#include "corpus/formats/raw_json.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>

#include "refrain/utf8.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// The object that a text begins with, as far as the text extends.
struct FirstObject {
  std::size_t size = kNowhere;  // npos: the object does not end
  bool has_field = false;
  bool broken = false;  // over several lines
};

FirstObject look_at(std::string_view text, std::string_view field) {
  FirstObject found;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t begin = at + 1;
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
      if (at >= text.size()) return found;
      const std::size_t behind = text.find_first_not_of(" \t\r\n", at + 1);
      const bool key = behind != kNowhere && text[behind] == ':';
      if (key && depth == 1 && text.substr(begin, at - begin) == field) found.has_field = true;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '\n') found.broken = true;
    if ((c == '}' || c == ']') && --depth == 0) {
      found.size = at + 1;
      return found;
    }
  }
  return found;
}

}  // namespace

// Scans from bytes[at] to the brace that ends a record and returns the offset after it; npos if there is none.
std::size_t JsonScanner::next_end(std::string_view bytes, std::size_t at) {
  for (; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (in_string_) {
      if (escaped_)
        escaped_ = false;
      else if (c == '\\')
        escaped_ = true;
      else if (c == '"')
        in_string_ = false;
    } else if (c == '"') {
      in_string_ = depth_ > 0;  // a quote between records opens no string, so that damage stays local
    } else if (c == '{') {
      ++depth_;
    } else if (c == '}' && depth_ > 0 && --depth_ == 0) {
      return at + 1;
    }
  }
  return kNowhere;
}

std::size_t JsonScanner::last_end(std::string_view bytes) {
  std::size_t last = kNowhere;
  for (std::size_t end = next_end(bytes, 0); end != kNowhere; end = next_end(bytes, end)) last = end;
  return last;
}

std::size_t JsonScanner::first_end(std::string_view bytes) {
  return next_end(bytes, 0);
}

// If `bytes` are longer than a record may be, the text before the record becomes a piece of its own.
std::size_t JsonListScanner::text_before(std::string_view bytes) const {
  if (bytes.size() <= most_bytes_) return 0;
  const std::size_t begin = bytes.find('{');
  return begin <= most_bytes_ ? begin : 0;
}

bool JsonListScanner::too_long(std::string_view bytes, std::size_t& held) {
  if (!RecordScanner::too_long(bytes, held)) return false;
  between_ = !bytes.starts_with('{');
  if (between_) {
    held = std::min(bytes.find('{'), held);
    scanner_ = {};  // the next record is scanned again from its beginning
  }
  return true;
}

std::size_t JsonListScanner::first_end(std::string_view bytes, std::size_t& /*held*/) {
  return between_ ? bytes.find('{') : scanner_.first_end(bytes);
}

JsonLayout json_layout(std::string_view beginning, std::string_view field, bool all) {
  constexpr std::string_view kBlanks = " \t\r\n";
  if (beginning.starts_with(kByteOrderMark)) beginning.remove_prefix(kByteOrderMark.size());
  const auto skip = [&](std::string_view what) {
    beginning.remove_prefix(std::min(beginning.find_first_not_of(what), beginning.size()));
  };
  skip(kBlanks);
  const bool array = beginning.starts_with('[');
  if (array) beginning.remove_prefix(1);
  skip(kBlanks);
  // All records of a file of lines may have been removed, and an empty file is left.
  if (beginning.empty() && all && !array) return JsonLayout::lines;
  if (array && beginning.starts_with(']')) return JsonLayout::values;
  if (!beginning.starts_with('{')) return JsonLayout::none;
  if (array) return JsonLayout::values;
  const FirstObject first = look_at(beginning, field);
  const bool is_record = first.has_field || field.empty();
  if (first.size == kNowhere && !is_record) return all ? JsonLayout::none : JsonLayout::unknown;
  if (first.size == kNowhere) return first.broken ? JsonLayout::values : JsonLayout::lines;
  beginning.remove_prefix(first.size);
  skip(kBlanks);
  const bool more = !beginning.empty() || !all;
  if (!more && !is_record) return JsonLayout::none;
  return first.broken ? JsonLayout::values : JsonLayout::lines;
}

namespace {

constexpr std::uint32_t kReplacementCharacter = 0xFFFD;

bool is_first_half(std::uint32_t code) {
  return code >= 0xD800 && code < 0xDC00;
}
bool is_second_half(std::uint32_t code) {
  return code >= 0xDC00 && code < 0xE000;
}

// The code of the escape \uXXXX that `raw` begins with.
std::optional<std::uint32_t> escaped_code(std::string_view raw) {
  std::uint32_t code = 0;
  if (raw.size() < 6 || !raw.starts_with("\\u")) return std::nullopt;
  const auto [end, error] = std::from_chars(raw.data() + 2, raw.data() + 6, code, 16);
  return error == std::errc() && end == raw.data() + 6 ? std::optional(code) : std::nullopt;
}

}  // namespace

std::optional<std::size_t> unescape_leniently(std::string_view raw, char* out, std::uint64_t& replaced) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  char* to = out;
  while (!raw.empty()) {
    const std::size_t plain = std::min(raw.find('\\'), raw.size());
    to = std::copy_n(raw.data(), plain, to);
    raw.remove_prefix(plain);
    if (raw.empty()) break;
    if (raw.size() < 2) return std::nullopt;
    if (const std::size_t known = kEscapes.find(raw[1]); known != std::string_view::npos) {
      *to++ = kMeanings[known];
      raw.remove_prefix(2);
      continue;
    }
    const std::optional<std::uint32_t> code = escaped_code(raw);
    if (!code) return std::nullopt;
    raw.remove_prefix(6);
    std::uint32_t character = *code;
    if (is_first_half(*code)) {
      const std::optional<std::uint32_t> second = escaped_code(raw);
      if (second && is_second_half(*second)) {
        character = 0x10000 + ((*code - 0xD800) << 10U) + (*second - 0xDC00);
        raw.remove_prefix(6);
      }
    }
    if (is_first_half(character) || is_second_half(character)) {
      character = kReplacementCharacter;
      ++replaced;
    }
    to += encode_utf8(character, to);
  }
  return static_cast<std::size_t>(to - out);
}

std::optional<std::string> json_content(std::string_view raw) {
  simdjson::ondemand::parser parser;
  simdjson::padded_string quoted(raw.size() + 2);
  char* out = quoted.data();
  *out = '"';
  raw.copy(out + 1, raw.size());
  out[raw.size() + 1] = '"';
  simdjson::ondemand::document document;
  std::string_view text;
  if (parser.iterate(quoted).get(document) != simdjson::SUCCESS) return std::nullopt;
  if (document.get_string().get(text) == simdjson::SUCCESS) return std::string(text);
  std::string lenient(raw.size(), '\0');
  std::uint64_t ignored = 0;
  const std::optional<std::size_t> size = unescape_leniently(raw, lenient.data(), ignored);
  if (!size) return std::nullopt;
  lenient.resize(*size);
  return lenient;
}

std::optional<std::uint64_t> RawJsonPosition::advance_to(std::uint64_t offset) {
  while (text_ < offset) {
    const std::uint64_t plain = std::min<std::uint64_t>(raw_.find('\\', at_), raw_.size()) - at_;
    const std::uint64_t taken = std::min(plain, offset - text_);
    at_ += taken;
    text_ += taken;
    if (text_ == offset) break;
    if (at_ + 1 >= raw_.size()) return std::nullopt;
    std::uint64_t raw_bytes = 2;
    std::uint64_t bytes = 1;
    if (raw_[at_ + 1] == 'u') {
      unsigned code = 0;
      const std::string_view digits = raw_.substr(at_ + 2, 4);
      std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
      const std::optional<std::uint32_t> second =
          at_ + 6 < raw_.size() ? escaped_code(raw_.substr(at_ + 6)) : std::nullopt;
      const bool pair = is_first_half(code) && second && is_second_half(*second);
      raw_bytes = pair ? 12 : 6;
      bytes = pair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    }
    at_ += raw_bytes;
    text_ += bytes;
  }
  return text_ == offset && at_ <= raw_.size() ? std::optional(at_) : std::nullopt;
}

}  // namespace refrain::corpus
