#include "corpus/formats/raw_text.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>

#include "refrain/utf8.h"

namespace refrain::corpus {

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
