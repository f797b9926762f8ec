#include "corpus/formats/raw_text.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>

#include "corpus/formats/csv.h"

namespace refrain::corpus {

namespace {

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
  if (document.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

}  // namespace

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
      const bool pair = code >= 0xD800 && code < 0xDC00;
      raw_bytes = pair ? 12 : 6;
      bytes = pair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    }
    at_ += raw_bytes;
    text_ += bytes;
  }
  return text_ == offset && at_ <= raw_.size() ? std::optional(at_) : std::nullopt;
}

std::optional<std::string> text_of_raw(Format format, std::string_view raw) {
  switch (format) {
    case Format::jsonl:
      return json_content(raw);
    case Format::csv:
      return csv_content(raw, ',');
    case Format::tsv:
      return csv_content(raw, '\t');
    default:
      return std::string(raw);
  }
}

}  // namespace refrain::corpus
